import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../run/settings.mjs'
import { declaresTest } from './declared-tests'
import { readHostileRows, type TestedRow } from './hostile-rows'
import { readPromises, renewPromises } from './promises'
import { isReleaseOnly, kindOf } from './select-tests'

const tables: [string, TestedRow[]][] = [
  ['promises.yaml', readPromises()],
  ['hostile-rows.yaml', readHostileRows()],
]

describe.each(tables)('each row of %s', (_, rows) => {
  it('names tests that exist', () => {
    const missing = rows.flatMap(({ name, tests }) =>
      tests
        .filter(({ file, title }) => !declaresTest(readFileSync(join(root, file), 'utf8'), title))
        .map(({ file, title }) => `${name}: ${file}: ${title}`),
    )
    expect(missing).toEqual([])
  })

  it('names at least one test that npm test runs', () => {
    const runs = ({ file }: TestedRow['tests'][number]) => kindOf(file) !== undefined && !isReleaseOnly(file)
    const without = rows.filter(({ tests }) => !tests.some(runs)).map(({ name }) => name)
    expect(without).toEqual([])
  })
})

describe('the table of the promises in docs/reliability.md', () => {
  const text = readFileSync(join(root, 'docs', 'reliability.md'), 'utf8')

  it('equals promises.yaml (npm run docs writes it)', () => {
    expect(renewPromises(text, readPromises())).toBe(text)
  })

  it('is replaced between its marks', () => {
    const row = { name: 'A job ends', tests: [{ file: 'a.test.ts', title: 'ends' }] }
    const before = 'x\n<!-- promises -->\nold\n<!-- end of promises -->\ny'
    const after = renewPromises(before, [row])
    expect(after).toContain('| A job ends | `a.test.ts` |')
    expect(after).not.toContain('old')
    expect(after).toMatch(/^x\n[\s\S]*\ny$/)
  })
})
