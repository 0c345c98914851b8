import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { preview, quote, shorten, showKey, showText } from './json-text'

describe('quote', () => {
  it('escapes only invisible characters', () => {
    expect(quote('a\u202Eb\n"<script>"\u{E0041}é😀')).toBe('"a\\u202eb\\n\\"<script>\\"\\udb40\\udc41é😀"')
  })

  it('writes equivalent JSON', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    fc.assert(fc.property(text, (value) => JSON.parse(quote(value)) === value))
  })
})

it('names invisible characters in a text and keeps its line breaks', () => {
  expect(showText('a\nb\u200Bc\u0000')).toBe('a\nb⟨U+200B⟩c⟨NUL⟩')
})

it('never splits a character', () => {
  expect(shorten('ab😀cd', 3)).toBe('ab…')
  expect(shorten('ab😀cd', 4)).toBe('ab😀…')
  expect(shorten('abc', 3)).toBe('abc')
})

describe('preview', () => {
  it.each([
    [{ loss: 0.5, layers: [1, [2, [3]]] }, '{ loss: 0.5, layers: [1, […]] }'],
    [[], '[]'],
    [{}, '{}'],
    [null, 'null'],
    ['x', '"x"'],
    [{ 'a b': 1 }, '{ "a b": 1 }'],
  ])('%j is %s', (value, text) => {
    expect(preview(value)).toBe(text)
  })

  it('always stays short', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => preview(value, 40).length <= 41))
    expect(preview(Array(1_000_000).fill('x'.repeat(1000)), 40).length).toBeLessThanOrEqual(41)
  })
})

it('quotes misleading keys', () => {
  expect(['loss', 'val.loss', 'a b', '__proto__', 'a\u200Bb', ''].map(showKey)).toEqual([
    'loss',
    'val.loss',
    '"a b"',
    '__proto__',
    '"a\\u200bb"',
    '""',
  ])
})
