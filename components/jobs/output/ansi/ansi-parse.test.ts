import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLine, plainText } from './ansi-parse'
import { specialCharacter } from './visible-controls'

const esc = '\u001B'

function stylesOf(text: string) {
  return parseLine(text).segments.map(({ text: run, style }) => [run, style])
}

describe('colours and weights', () => {
  it('splits a line at its changes of style', () => {
    expect(stylesOf(`a${esc}[1;31mb${esc}[22mc${esc}[0md`)).toEqual([
      ['a', {}],
      ['b', { bold: true, foreground: { palette: 1 } }],
      ['c', { foreground: { palette: 1 } }],
      ['d', {}],
    ])
  })

  it.each([
    ['38;5;9', { foreground: { palette: 9 } }],
    ['38;5;196', { foreground: { red: 255, green: 0, blue: 0 } }],
    ['48;5;244', { background: { red: 128, green: 128, blue: 128 } }],
    ['38;2;1;20;255', { foreground: { red: 1, green: 20, blue: 255 } }],
    ['38:2:1:20:255', { foreground: { red: 1, green: 20, blue: 255 } }],
    ['38:2::1:20:255', { foreground: { red: 1, green: 20, blue: 255 } }],
    ['38:5:9;1', { foreground: { palette: 9 }, bold: true }],
    ['38;2;1;20;255;4', { foreground: { red: 1, green: 20, blue: 255 }, underline: true }],
    ['97;104', { foreground: { palette: 15 }, background: { palette: 12 } }],
    ['2;3;4;7;9', { dim: true, italic: true, underline: true, inverse: true, strike: true }],
    ['4:3', { underline: true }],
    ['1;', {}],
    ['', {}],
    ['38;2;1;2;300', {}],
    ['38;5;256', {}],
    ['38', {}],
    ['5;8;1234', {}],
  ])('reads %s', (parameters, style) => {
    expect(parseLine(`${esc}[${parameters}mx`).segments).toEqual([{ text: 'x', style }])
  })

  it('continues the style of the previous line, and returns its last style', () => {
    const first = parseLine(`${esc}[32mgreen`)
    expect(first.end).toEqual({ foreground: { palette: 2 } })
    expect(parseLine('still green', first.end).segments).toEqual([{ text: 'still green', style: first.end }])
  })
})

describe('other terminal sequences', () => {
  it.each([
    ['a link (OSC 8)', `${esc}]8;;javascript:alert(1)${esc}\\click${esc}]8;;${esc}\\`, 'click'],
    ['the clipboard (OSC 52)', `a${esc}]52;c;cm0gLXJm\u0007b`, 'ab'],
    ['a title', `${esc}]0;mine\u0007x`, 'x'],
    ['a title in one-character form', '\u009D0;mine\u009Cx', 'x'],
    ['cursor moves', `a${esc}[2A${esc}[10;10Hb`, 'ab'],
    ['clearing the screen', `${esc}[2J${esc}[?1049hx`, 'x'],
    ['private sequences that end like colours', `${esc}[>4;1mx`, 'x'],
    ['a device control string', `${esc}Pq#0;2${esc}\\x`, 'x'],
    ['a character set', `${esc}(Bx${esc}=y`, 'xy'],
    ['the control sequence introducer of one character', '\u009B31mx', 'x'],
  ])('removes %s', (_, text, shown) => {
    expect(plainText(text)).toBe(shown)
  })

  it.each([
    ['a string that never ends', `a${esc}]8;;http://x`, 'a⟨ESC⟩]8;;http://x'],
    ['a sequence that never ends', `a${esc}[31`, 'a⟨ESC⟩[31'],
    ['an escape at the end', `a${esc}`, 'a⟨ESC⟩'],
  ])('shows %s, so that it hides nothing', (_, text, shown) => {
    expect(plainText(text)).toBe(shown)
  })

  it('shows invisible characters by name in separate runs', () => {
    expect(parseLine('a\u0000b\u202Ec').segments).toEqual([
      { text: 'a', style: {} },
      { text: '⟨NUL⟩', style: {}, control: true },
      { text: 'b', style: {} },
      { text: '⟨U+202E⟩', style: {}, control: true },
      { text: 'c', style: {} },
    ])
    expect(plainText('pass\u200Bword\u2028\uFEFF\u00AD\u{E0041}\uD800')).toBe(
      'pass⟨U+200B⟩word⟨U+2028⟩⟨U+FEFF⟩⟨U+00AD⟩⟨U+E0041⟩⟨U+D800⟩',
    )
  })

  it('leaves tabs, emoji and joined scripts as they are', () => {
    for (const text of ['a\tb', '👩‍💻 ✅ 🏳️‍🌈', 'می‌خواهم', 'क्‍ष', 'é 漢字']) expect(plainText(text)).toBe(text)
    expect(plainText('ab\u200Dc')).toBe('ab⟨U+200D⟩c')
  })

  it('leaves markup as text', () => {
    expect(plainText('<script>alert(1)</script>')).toBe('<script>alert(1)</script>')
  })
})

const hostile = fc.string({
  unit: fc.constantFrom(
    esc,
    '[',
    ']',
    'm',
    ';',
    '3',
    '8',
    '\\',
    '\u0007',
    '\u009B',
    '\u009D',
    '\u202E',
    'x',
    'P',
    '(',
  ),
  maxLength: 60,
})

it('never shows a special character', () => {
  fc.assert(fc.property(hostile, (text) => !specialCharacter.test(plainText(text))))
})

// Two hundred thousand beginnings without an end: read to the end from each, they would never be through.
it.each(['\u009D', `${esc}]`, `${esc}[1`, `${esc}P`, `${esc}[`])(
  'gets through a line of nothing but %j',
  (unit) => {
    const shown = plainText(unit.repeat(200_000))
    expect(shown.length).toBeGreaterThanOrEqual(200_000)
  },
)
