/**
 * `npm run docs`: generates the table of environment variables in the admin guide from their declarations, the tables of
 * docs/reliability.md from the promises and the latest results of the suites, the routes of the clients from the operations, and
 * the options of the command line from the keys of the config.
 */
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { readPromises, renewPromises } from '../checks/promises'
import { describeEnv } from './describe-env'
import { describeOptions, optionsText } from './describe-options'
import { describeRoutes, toSourceText } from './describe-routes'
import { parseSuite, renewTable, suites } from './reliability-tables'

await writeVariables('docs/admin-guide.md')
await writeReliability('docs/reliability.md')
await writeFile('lib/http/client/routes.ts', toSourceText(describeRoutes()))
await writeFile('cli/declare/config-options.ts', optionsText(describeOptions()))
spawnSync('npx', ['biome', 'check', '--write', 'cli/declare/config-options.ts'], { stdio: 'inherit' })

async function writeVariables(file: string): Promise<void> {
  const heading = '## Environment variables\n'
  const text = await readFile(file, 'utf8')
  const kept = text.slice(0, text.indexOf(heading) + heading.length)
  const rows = describeEnv().map(
    ({ name, meaning, fallback }) => `| \`${name}\` | ${meaning} | ${fallback} |`,
  )
  const table = [kept, '| variable | meaning | default |', '| --- | --- | --- |', ...rows, '']
  await writeFile(file, table.join('\n'))
}

/** A suite without results keeps its table. */
async function writeReliability(file: string): Promise<void> {
  let text = renewPromises(await readFile(file, 'utf8'), readPromises())
  for (const suite of suites) {
    const results = await readFile(`test-results/${suite}.json`, 'utf8').catch(() => null)
    if (results !== null) text = renewTable(text, parseSuite(results))
  }
  await writeFile(file, text)
}
