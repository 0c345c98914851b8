import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cellText, compareCells, layOutColumns } from './cells'

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

it('groups values by type, with missing values last', () => {
  const cells = [undefined, 'run 10', true, null, 2, { a: 1 }, 'run 9', false, -1]
  expect([...cells].sort(compareCells)).toEqual([
    -1,
    2,
    'run 9',
    'run 10',
    false,
    true,
    { a: 1 },
    null,
    undefined,
  ])
})

it('is a consistent order for any cells', () => {
  const cell = fc.jsonValue({ maxDepth: 1 })
  fc.assert(
    fc.property(cell, cell, cell, (a, b, c) => {
      expect(Math.sign(compareCells(a, b)) + Math.sign(compareCells(b, a))).toBe(0)
      if (compareCells(a, b) <= 0 && compareCells(b, c) <= 0)
        expect(compareCells(a, c)).toBeLessThanOrEqual(0)
    }),
  )
})
