import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLine } from '../ansi/ansi-parse'
import { clip, cutAtMatches } from './highlight'
import { findMatches } from './output-search'

const styled = fc.string({
  unit: fc.constantFrom('a', 'b', '\u001B[31m', '\u001B[0m', '\u0000', '😀'),
  maxLength: 30,
})

describe('cutAtMatches', () => {
  it('marks a match across a change of style', () => {
    const { segments } = parseLine('\u001B[31mlo\u001B[32mss\u001B[0m 1')
    expect(
      cutAtMatches(segments, findMatches('loss 1', /loss/g)).map(({ text, match }) => [text, match]),
    ).toEqual([
      ['lo', 0],
      ['ss', 0],
      [' 1', undefined],
    ])
  })

  it('keeps all of the text, and marks exactly the matches', () => {
    fc.assert(
      fc.property(styled, (text) => {
        const { segments } = parseLine(text)
        const shown = segments.map((segment) => segment.text).join('')
        const ranges = findMatches(shown, /ab|a|😀b/gu)
        const pieces = cutAtMatches(segments, ranges)
        expect(pieces.map((piece) => piece.text).join('')).toBe(shown)
        const marked = ranges.map((_, nth) =>
          pieces.filter((piece) => piece.match === nth).map((piece) => piece.text),
        )
        expect(marked.map((parts) => parts.join(''))).toEqual(
          ranges.map(({ start, end }) => shown.slice(start, end)),
        )
      }),
    )
  })
})

it('clips a line across its runs', () => {
  const { segments } = parseLine('abc\u001B[31mdef')
  expect(clip(segments, 4).map((segment) => segment.text)).toEqual(['abc', 'd'])
  expect(clip(segments, 3).map((segment) => segment.text)).toEqual(['abc'])
})
