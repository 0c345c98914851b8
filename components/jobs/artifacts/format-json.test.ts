import { describe, expect, it } from 'vitest'
import { formatJson } from './format-json'
import { previewFormatOf } from './preview-format'

describe('formatJson', () => {
  it.each([
    [{ a: 1, b: [1, 2, { c: 'x, [y] "z" \\' }], d: {}, e: [], f: null }],
    [[]],
    ['text: {}'],
    [[[1], [[]], { '': {} }]],
  ])('writes %j as JSON.stringify does', (value) => {
    expect(formatJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
    expect(formatJson(JSON.stringify(value, null, 4))).toBe(JSON.stringify(value, null, 2))
  })

  it('keeps the digits of numbers', () => {
    expect(formatJson('{"id": 12345678901234567890, "x": 1.0}')).toBe(
      '{\n  "id": 12345678901234567890,\n  "x": 1.0\n}',
    )
  })

  it.each(['', '{"a": 1', "{'a': 1}", 'NaN'])('does not format %j', (text) => {
    expect(formatJson(text)).toBeNull()
  })
})

it.each([
  ['a.csv', 'table'],
  ['plots/a.TSV', 'table'],
  ['a.json', 'json'],
  ['README.md', 'markdown'],
  ['a.json.txt', null],
  ['md', null],
  ['a.constructor', null],
])('%s is shown as %s', (path, format) => {
  expect(previewFormatOf(path)).toBe(format)
})
