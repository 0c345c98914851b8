import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeEnv } from './describe-env'

it('describes every environment variable in the admin guide', () => {
  const guide = readFileSync('docs/admin-guide.md', 'utf8')
  for (const { name, meaning, fallback } of describeEnv()) {
    expect(meaning).not.toBe('')
    expect(guide).toContain(`| \`${name}\` | ${meaning} | ${fallback} |`)
  }
})
