/**
 * `npm run docs`: generates the table of environment variables in the admin guide from their declarations.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { describeEnv } from './describe-env'

const file = 'docs/admin-guide.md'
const heading = '## Environment variables\n'
const text = await readFile(file, 'utf8')
const kept = text.slice(0, text.indexOf(heading) + heading.length)
const rows = describeEnv().map(({ name, meaning, fallback }) => `| \`${name}\` | ${meaning} | ${fallback} |`)
await writeFile(
  file,
  [kept, '| variable | meaning | default |', '| --- | --- | --- |', ...rows, ''].join('\n'),
)
