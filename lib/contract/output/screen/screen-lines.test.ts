import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mostRowsUp } from './cursor-moves'
import { ScreenLines, screenLines } from './screen-lines'

const esc = '\u001B'

/** What the program of the test case writes: two bars, a counter with backspaces, and a bar that erases its line. */
function progressBars(): string {
  const bars = [0, 1, 2].map((epoch) => {
    const batches = Array.from({ length: 40 }, (_, batch) => `\n\rbatch ${batch + 1}/40${esc}[A`)
    return `\repochs ${epoch}/3${batches.join('')}`
  })
  const steps = Array.from(
    { length: 20 },
    (_, step) => `${'\b'.repeat(40)}step ${step + 1}/20 loss ${(1 / (step + 1)).toFixed(4)}`,
  )
  const parts = [0, 25, 50, 75, 100].map((part) => `${esc}[2K${esc}[1Gdownload ${part}%`)
  return `${bars.join('')}\n\n${steps.join('')}\n${parts.join('')}\n`
}

const endOfBars = ['epochs 2/3', 'batch 40/40', 'step 20/20 loss 0.0500', 'download 100%']

/** The lines of pieces, settled after each. */
function linesOf(pieces: readonly string[]): string[] {
  const lines: string[] = []
  const screen = new ScreenLines({
    begin: () => lines.push('') - 1,
    change: (line, text) => {
      lines[line] = text
    },
  })
  for (const piece of pieces) {
    screen.write(piece)
    screen.settle()
  }
  screen.end()
  return lines
}

describe('lines as a terminal shows them', () => {
  it('has a line for each bar, cut at every position', () => {
    const text = progressBars()
    expect(screenLines(text)).toEqual(endOfBars)
    for (let at = 1; at < text.length; at++)
      expect(linesOf([text.slice(0, at), text.slice(at)])).toEqual(endOfBars)
    expect(linesOf([...text])).toEqual(endOfBars)
  })

  it.each([
    ['a line without returns', 'plain', ['plain']],
    ['a progress bar', '10%\r20%\r30%', ['30%']],
    ['a return writes over, and erases nothing', 'loading\rDone', ['Doneing']],
    ['a return at the end', '10%\r20%\r', ['20%']],
    ['the line ends of Windows', 'a\r\nb\r\n', ['a', 'b']],
    ['nothing but a return', '\r', []],
    ['empty lines', '\n\na', ['', '', 'a']],
    ['colours after the last return, which write nothing', `50%\r${esc}[0m`, ['50%']],
    ['a line erased after the return', `50%\r${esc}[K`, ['']],
    ['an erasure to the start', `50%${esc}[2D${esc}[1Kx`, [' x%']],
    ['a backspace', '|\b/\b-\b\\', ['\\']],
    ['a column beyond the end', `a${esc}[4Gb${esc}[2Cc`, ['a  b  c']],
    ['lines above that are written again', `one\ntwo\n${esc}[2Fnew${esc}[Enext`, ['new', 'next']],
    ['an erasure of what is below', `one\ntwo\nthree${esc}[2A\r${esc}[J`, ['', '', '']],
    ['characters of two units', `🟩🟩⬜\r🟥`, ['🟥🟩⬜']],
    ['links, titles and places of the screen', `${esc}]8;;x${esc}\\a${esc}[2;2Hb${esc}[2Jc`, ['abc']],
    ['a string that never ends', `a${esc}]8;;http://x\nb`, [`a${esc}]8;;http://x`, 'b']],
    ['a sequence that never ends', `a${esc}[31`, [`a${esc}[31`]],
  ])('%s', (_, text, lines) => {
    expect(screenLines(text)).toEqual(lines)
    expect(linesOf([...text])).toEqual(lines)
  })

  it('keeps the colours of what stays, and those that were set before', () => {
    expect(screenLines(`${esc}[32m10%\r20%`)).toEqual([`${esc}[0;32m20%`])
    expect(screenLines(`${esc}[31mab\r${esc}[0;1mc`)).toEqual([`${esc}[0;1mc${esc}[0;31mb`])
    expect(screenLines(`${esc}[38;2;1;2;3;102mx\by${esc}[0mz`)).toEqual([
      `${esc}[0;38;2;1;2;3;102my${esc}[0mz`,
    ])
    const starts: unknown[] = []
    const screen = new ScreenLines({ begin: () => 0, change: (_, text, start) => starts.push([text, start]) })
    screen.write(`${esc}[1mbold${esc}[22m not`)
    screen.settle()
    expect(starts).toEqual([[`bold${esc}[22m not`, { bold: true }]])
  })

  it('goes up no further than a screen, and not above the first line', () => {
    const many = Array.from({ length: 100 }, (_, line) => `${line}`)
    const lines = screenLines(`${many.join('\n')}${esc}[999A\rX`)
    expect(lines.indexOf('X9')).toBe(99 - mostRowsUp)
    expect(screenLines(`a\nb${esc}[999A\rX`)).toEqual(['X', 'b'])
  })

  it('shortens a line that is too long, and says by how much', () => {
    let cut = 0
    let shown = ''
    const screen = new ScreenLines(
      {
        begin: () => 0,
        change: (_, text) => {
          shown = text
        },
        cut: (_, characters) => {
          cut += characters
        },
      },
      10,
    )
    screen.write('x'.repeat(8))
    screen.write(`${`${esc}[1m`.repeat(50)}yyyy`)
    screen.settle()
    expect(shown).toBe(`${'x'.repeat(8)}yy`)
    expect(cut).toBe(2)
  })

  it('is the same for any pieces', () => {
    const unit = fc.constantFrom(
      'a',
      'b',
      '\n',
      '\r',
      '\b',
      esc,
      '[',
      '2',
      'A',
      'B',
      'G',
      'K',
      'J',
      'm',
      ']',
      '\u0007',
    )
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 12 }), { maxLength: 8 }), (pieces) => {
        expect(linesOf(pieces)).toEqual(linesOf([pieces.join('')]))
      }),
      { examples: [[[`a${esc}[`, 'm']], [[`a${esc}[m`, '\b']]] },
    )
  })

  it('begins anew if the lines above are gone', () => {
    const lines: string[] = []
    const screen = new ScreenLines({
      begin: () => lines.push('') - 1,
      change: (line, text) => {
        lines[line] = text
      },
    })
    screen.write('a\nb')
    screen.settle()
    screen.forget(1)
    screen.write(`${esc}[Ac`)
    screen.settle()
    expect(lines).toEqual(['a', 'b', 'c'])
  })
})
