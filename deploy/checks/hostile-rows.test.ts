import { describe, expect, it } from 'vitest'
import { root } from '../run/settings.mjs'
import { declaresTest } from './declared-tests'
import { hostileFiles } from './hostile-rows'
import { selectTests } from './select-tests'

describe('the table of the hostile jobs, requests and findings', () => {
  it('names a title that a file does not have as missing', () => {
    const source = "const names = ['red', 'blue']\nit('is round', () => {})\nit.each(names)('is %s', run)"
    expect(declaresTest(source, 'is round')).toBe(true)
    expect(declaresTest(source, 'is blue')).toBe(true)
    expect(declaresTest(source, 'is green')).toBe(false)
    expect(declaresTest(source, 'names')).toBe(false)
  })

  it('selects its files and no others, none of which has faults at random moments', () => {
    const selected = selectTests(root, hostileFiles())
    expect([...selected.values()].flat().sort()).toEqual(hostileFiles().sort())
    expect(selected.has('faults')).toBe(false)
  })
})
