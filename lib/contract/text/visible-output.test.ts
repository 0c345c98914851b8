import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CursorRows } from '../output/screen/cursor-moves'
import { VisibleOutput, visibleOutput } from './visible-output'
import cases from './visible-output-cases.json'

const esc = '\u001b'
const step = new RegExp(`\\n|${esc}\\[(\\d*)([A-H])`, 'g')
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

  describe('that may move the cursor', () => {
    const shownOf = (pieces: readonly string[]) => {
      const output = new VisibleOutput(new CursorRows())
      return pieces.map((piece) => output.write(piece)).join('') + output.end()
    }

    it('keeps the moves of two bars, cut at every position', () => {
      const text = `epochs 0/3\n\rbatch 1/40${esc}[A\n\rbatch 2/40${esc}[A\n\n${esc}[2K${esc}[1Gdone${esc}[2D`
      const shown = text.replaceAll(`${esc}[A`, `${esc}[1A`)
      expect(shownOf([text])).toBe(shown)
      for (let at = 1; at < text.length; at++) {
        expect(shownOf([text.slice(0, at), text.slice(at)])).toBe(shown)
      }
    })

    it('goes no line above its own ones, and to no place of the screen', () => {
      expect(shownOf([`${esc}[9A${esc}[F${esc}[;5A${esc}[H${esc}[2J`])).toBe(
        '\r\\u001b[;5A\\u001b[H\\u001b[2J',
      )
      expect(shownOf([`a\nb\n${esc}[99Fx\ny${esc}[99B`])).toBe(`a\nb\n\r${esc}[2Ax\ny${esc}[1B`)
      const many = 'x\n'.repeat(200)
      expect(shownOf([`${many}${esc}[999A`])).toBe(`${many}${esc}[50A`)
    })

    it('never is above its first line, whatever the program prints', () => {
      const unit = fc.constantFrom(esc, '[', '3', '9', 'A', 'B', 'E', 'F', 'J', 'K', 'm', ';', '\n', 'x')
      fc.assert(
        fc.property(fc.array(fc.string({ unit, maxLength: 20 })), (pieces) => {
          let row = 0
          for (const [found, count, letter] of shownOf(pieces).matchAll(step)) {
            const down =
              found === '\n' ? 1 : letter === 'B' ? Number(count) : letter === 'A' ? -Number(count) : 0
            row += down
            expect(row).toBeGreaterThanOrEqual(0)
            expect('EFH').not.toContain(letter ?? 'x')
          }
        }),
      )
    })
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
