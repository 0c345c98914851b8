import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../run/settings.mjs'

const most = 24

/** Collections of independent files, and one folder that has had a file too many for long. They must not grow. */
const larger: Readonly<Record<string, number>> = {
  'components/ui': 65,
  'worker/testing': 55,
  'deploy/run': 25,
}

it('no folder has more source files than a reader can survey', () => {
  const listed = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.cjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  const sources = listed.split('\n').filter((file) => file !== '' && !/\.(test|spec)\.tsx?$/.test(file))
  const counts = new Map<string, number>()
  for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  expect(counts.get('lib/contract/config')).toBeGreaterThan(10)
  expect([...counts].filter(([folder, count]) => count > (larger[folder] ?? most))).toEqual([])
})
