import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfShellWords, splitShellWords } from './shell-words'

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

describe('a line of arguments', () => {
  it.each([
    ['', []],
    ['  \t\n', []],
    ['a  b\tc', ['a', 'b', 'c']],
    [`'a b' "c d"`, ['a b', 'c d']],
    [`--name="a b"'c'd`, ['--name=a bcd']],
    [`'' ""`, ['', '']],
    [`a\\ b`, ['a b']],
    [`'\\n' "\\n" "\\"\\\\\\$"`, ['\\n', '\\n', '"\\$']],
    [`"$HOME" * ~ #x`, ['$HOME', '*', '~', '#x']],
    ['a\\\nb', ['ab']],
    ['"a\\\nb"', ['ab']],
  ])('%j is split as a shell does', (line, words) => {
    expect(splitShellWords(line)).toEqual({ ok: true, words })
  })

  it.each([`'a`, `"a`, `"a\\"`, 'a\\'])('%j is refused: it is not finished', (line) => {
    expect(splitShellWords(line).ok).toBe(false)
  })

  it('gives any words back that were quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(splitShellWords(words.map(quote).join(' '))).toEqual({ ok: true, words })
      }),
    )
  })
})

describe('the end of arguments', () => {
  it.each([
    ['a b,c', 0, 3],
    ['x,"a,b" \'c,d\' e\\,f,g', 2, 18],
    ['a $(b, c)', 0, 5],
    ['a b', 1, 3],
  ])('the end of arguments in %j from %d is %d', (line, from, end) => {
    expect(endOfShellWords(line, from, ',')).toEqual({ ok: true, end })
  })

  it('is unknown if a quote is never closed', () => {
    expect(endOfShellWords('a "b, c', 0, ',').ok).toBe(false)
  })
})
