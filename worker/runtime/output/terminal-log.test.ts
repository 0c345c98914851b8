import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TerminalLog } from './terminal-log'

const stampOf = (number: number) => `2026-11-20T23:49:32.${String(number).padStart(9, '0')}Z `

/** The log of a terminal: no frames, and long lines are split every 16 KiB with one timestamp. */
function logged(lines: string[], { losesNewlines }: { losesNewlines: boolean }): Buffer {
  const entries = lines.flatMap((line, number) => {
    const stamp = stampOf(number)
    if (line.length < 16_384) return [`${stamp}${line}\n`]
    const pieces: string[] = line.match(/[\s\S]{1,16384}/g) ?? []
    if (line.length % 16_384 === 0) pieces.push('')
    const last = pieces.pop() ?? ''
    return [...pieces.map((piece) => stamp + piece), `${stamp}${last}${losesNewlines ? '' : '\n'}`]
  })
  return Buffer.from(entries.join(''), 'latin1')
}

function read(wire: Buffer, places: number[]): string {
  const log = new TerminalLog()
  const ends = [...places.map((place) => place % (wire.length + 1)), wire.length].toSorted((a, b) => a - b)
  const pieces = ends.flatMap((end, index) => log.push(wire.subarray(ends[index - 1] ?? 0, end)))
  return Buffer.concat([...pieces, ...log.end()].map(({ bytes }) => bytes)).toString('latin1')
}

describe('TerminalLog', () => {
  it('returns every byte of every line, also long ones, whether or not the engine loses newlines', () => {
    const lengths = fc.oneof(fc.nat(5), fc.constantFrom(16_370, 16_383, 16_384, 16_385, 32_768, 40_000))
    fc.assert(
      fc.property(
        fc.array(lengths, { maxLength: 5 }),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 5 }),
        (sizes, losesNewlines, places) => {
          // The last line is short, because nothing at the end shows whether a newline was lost.
          const lines = [...sizes.map((size) => (size === 0 ? '' : `${'x'.repeat(size - 1)}\r`)), 'whole']
          const found = read(logged(lines, { losesNewlines }), places)
          expect(found).toBe(lines.map((line) => `${line}\n`).join(''))
        },
      ),
    )
  })

  it('returns an unfinished last line only at the end', () => {
    const log = new TerminalLog()
    expect(log.push(Buffer.from(`${stampOf(1)}>>> `))).toEqual([])
    expect(log.end().map(({ bytes }) => bytes.toString())).toEqual(['>>> '])
  })

  it('is not confused by a timestamp inside a short line', () => {
    const line = `${stampOf(7)}forged`
    expect(read(logged([line, 'next'], { losesNewlines: true }), [])).toBe(`${line}\nnext\n`)
  })
})
