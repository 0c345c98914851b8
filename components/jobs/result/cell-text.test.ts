import { expect, it } from 'vitest'
import { cellText, layOutColumns } from './cell-text'

it.each([
  [undefined, ''],
  [null, 'null'],
  [false, 'false'],
  [1.5, '1.5'],
  ['two\nlines', 'two lines'],
  ['a\u202Eb', 'a⟨U+202E⟩b'],
  [[1, 'x'], '[1, "x"]'],
  ['x'.repeat(1000), `${'x'.repeat(300)}…`],
])('shows %j as %s', (value, text) => {
  expect(cellText(value)).toBe(text)
})

it('sizes each column by its content within limits', () => {
  const rows = [
    [1, 'x'.repeat(500), true],
    [20_000_000, 'y', false],
  ]
  expect(layOutColumns({ columns: ['n', 'text', 'b'], rows })).toEqual([
    { width: 8, numeric: true },
    { width: 48, numeric: false },
    { width: 6, numeric: false },
  ])
})
