import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../run/settings.mjs'
import { declaresTest } from './declared-tests'
import { hostileFiles, readHostileRows } from './hostile-rows'
import { selectTests } from './select-tests'

describe('the table of the hostile jobs, requests and findings', () => {
  const rows = readHostileRows()

  it('names tests that exist', () => {
    const missing = rows.flatMap(({ name, tests }) =>
      tests
        .filter(({ file, title }) => !declaresTest(readFileSync(join(root, file), 'utf8'), title))
        .map(({ file, title }) => `${name}: ${file}: ${title}`),
    )
    expect(missing).toEqual([])
  })

  it('names a title that a file does not have as missing', () => {
    const source = "const names = ['red', 'blue']\nit('is round', () => {})\nit.each(names)('is %s', run)"
    expect(declaresTest(source, 'is round')).toBe(true)
    expect(declaresTest(source, 'is blue')).toBe(true)
    expect(declaresTest(source, 'is green')).toBe(false)
    expect(declaresTest(source, 'names')).toBe(false)
  })

  it('selects its files and no others, all of which npm test runs too', () => {
    const selected = selectTests(root, hostileFiles())
    expect([...selected.values()].flat().sort()).toEqual(hostileFiles().sort())
    expect(selected.has('faults')).toBe(false)
  })
})
