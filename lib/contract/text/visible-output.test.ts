import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VisibleOutput, visibleOutput } from './visible-output'
import cases from './visible-output-cases.json'

const esc = '\u001b'
const allowed = new RegExp(`${esc}\\[([\\d;:]*m|[012]?K)`, 'g')

describe('text of a job on a terminal', () => {
  it.each(cases as [string, string][])('%j is shown as %j', (text, shown) => {
    expect(visibleOutput(text)).toBe(shown)
  })

  it.each(cases as [string, string][])(
    '%j is shown the same, however it arrives in pieces',
    (text, shown) => {
      for (let size = 1; size < text.length; size++) {
        const output = new VisibleOutput()
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        const all = pieces.map((piece) => output.write(piece)).join('') + output.end()
        const colourEnd = all.endsWith('\u001b[0m') && !shown.endsWith('\u001b[0m') ? '\u001b[0m' : ''
        expect(all).toBe(shown + colourEnd)
      }
    },
  )

  it('has no control character but tab, line feed, backspace, carriage return and those of colours', () => {
    const unit = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0',
      ';',
      'm',
      'J',
      'K',
      '\u009b',
      '\u0007',
      '\r',
      'a',
      '\u202e',
    )
    const check = (text: string) => {
      const rest = visibleOutput(text).replaceAll(allowed, '')
      expect(rest).not.toMatch(/(?![\t\n\b\r])\p{Cc}|\u202e/u)
    }
    fc.assert(fc.property(fc.string({ unit, maxLength: 40 }), check))
  })

  it('stands for the same characters in JSON', () => {
    const value = { text: '\u009b2J\u202e\u007f\u001b[31m', list: ['\u2028'] }
    expect(JSON.parse(visibleOutput(JSON.stringify(value)))).toEqual(value)
  })

  it('ends its colours, so that they do not hide what the user types next', () => {
    const output = new VisibleOutput()
    expect(output.write('\u001b[8mhidden') + output.end()).toBe('\u001b[8mhidden\u001b[0m')
    expect(output.write('\u001b[1mx\u001b[0m') + output.end()).toBe('\u001b[1mx\u001b[0m')
    expect(output.write('\u001b[8mx\u001b[K') + output.end()).toBe('\u001b[8mx\u001b[K\u001b[0m')
    expect(output.write('\u001b[8mx\u001b[0m\u001b[K') + output.end()).toBe('\u001b[8mx\u001b[0m\u001b[K')
    expect(output.write('\u001b[3') + output.end()).toBe('\\u001b[3')
  })
})
