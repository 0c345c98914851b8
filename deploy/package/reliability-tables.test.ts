import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseSuite, renewTable, type Suite, suites } from './reliability-tables'

const soak: Suite = {
  suite: 'soak',
  date: '2026-11-22T23:00:00.000Z',
  machine: '2 cores',
  seed: 7,
  hours: 8,
  rows: [
    { name: 'rows do not grow', moments: 300, passed: true },
    { name: 'a | b', moments: 20, passed: 19, note: 'a <b>\nnote' },
  ],
}
const text = 'before\n<!-- results of soak -->\nold\n<!-- end of soak -->\nafter\n'

describe('the table of a suite', () => {
  it('replaces the previous one, and says how many rows failed', () => {
    const renewed = renewTable(text, soak)
    expect(renewed).toBe(`before
<!-- results of soak -->

2026-11-22, 8 h, seed 7, on 2 cores. **1 of 2 rows failed.**

| what was tried | how often | passed | note |
| --- | --- | --- | --- |
| rows do not grow | 300 | yes |  |
| a \\| b | 20 | 19 | a &lt;b> note |

<!-- end of soak -->
after
`)
    expect(renewTable(renewed, soak)).toBe(renewed)
  })

  it('has a place in the document', () => {
    const document = readFileSync('docs/reliability.md', 'utf8')
    for (const suite of suites) expect(renewTable(document, { ...soak, suite })).toContain('seed 7')
    expect(() => renewTable('nothing', soak)).toThrow(/no place for the results of soak/)
  })
})

it('refuses a file of another shape', () => {
  expect(parseSuite(JSON.stringify(soak))).toEqual(soak)
  expect(() => parseSuite(JSON.stringify({ ...soak, suite: 'other' }))).toThrow()
})
