import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../run/settings.mjs'
import { hostileFiles, readHostileRows } from './hostile-rows'
import { selectTests } from './select-tests'

const declared = /\b(?:it|test)(?:\.\w+)*(?:<[^>]*>)?(?:\([^()]*\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs

/** Whether a test file declares a test of this title, which may be made from a template and a value in the file. */
function declares(source: string, title: string): boolean {
  return [...source.matchAll(declared)].some(([, , literal = '']) => {
    const texts = literal.replaceAll(/\\(.)/g, '$1').split(/\$\{[^}]*\}|%\w/)
    const pattern = texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.+)')
    const values = new RegExp(`^${pattern}$`).exec(title)?.slice(1)
    return values?.every((value) => source.includes(value))
  })
}

describe('the table of the hostile jobs, requests and findings', () => {
  const rows = readHostileRows()

  it('names tests that exist', () => {
    const missing = rows.flatMap(({ name, tests }) =>
      tests
        .filter(({ file, title }) => !declares(readFileSync(join(root, file), 'utf8'), title))
        .map(({ file, title }) => `${name}: ${file}: ${title}`),
    )
    expect(missing).toEqual([])
  })

  it('names a title that a file does not have as missing', () => {
    const source = "const names = ['red', 'blue']\nit('is round', () => {})\nit.each(names)('is %s', run)"
    expect(declares(source, 'is round')).toBe(true)
    expect(declares(source, 'is blue')).toBe(true)
    expect(declares(source, 'is green')).toBe(false)
    expect(declares(source, 'names')).toBe(false)
  })

  it('selects its files and no others, all of which npm test runs too', () => {
    const selected = selectTests(root, hostileFiles())
    expect([...selected.values()].flat().sort()).toEqual(hostileFiles().sort())
    expect(selected.has('faults')).toBe(false)
  })
})
