import { expect, it } from 'vitest'
import { columnStarts, columnsInView, layOutRows, moveInGrid, rowHeight, scrollTopFor } from './grid-layout'

it('renders the rows in view and a few more', () => {
  expect(layOutRows(100, 0, 280)).toEqual({ height: 2800, rows: [0, 20], shift: 0 })
  expect(layOutRows(1000, 280, 280).rows).toEqual([0, 30])
  expect(layOutRows(5, 0, 280).rows).toEqual([0, 5])
  expect(layOutRows(0, 0, 280).rows).toEqual([0, 0])
})

it.each([1000, 1_000_000, 40_000_000])(
  'shows the first and the last of %i rows within what browsers can lay out',
  (count) => {
    const { height } = layOutRows(count, 0, 500)
    expect(height).toBeLessThan(16_000_000)
    const { rows, shift } = layOutRows(count, height - 500, 500)
    expect(rows[1]).toBe(count)
    // The end of the last row is at the end of the view.
    expect(Math.round(count * rowHeight + shift)).toBe(height)
  },
)

it.each([1000, 1_000_000])('scrolls to any of %i rows', (count) => {
  for (const row of [0, 1, 500, count / 2, count - 1]) {
    for (const from of [0, 5000, layOutRows(count, 0, 500).height - 500]) {
      const top = scrollTopFor(row, count, from, 500)
      const { shift } = layOutRows(count, top, 500)
      const y = row * rowHeight + shift - top
      expect(y).toBeGreaterThan(-1)
      expect(y + rowHeight).toBeLessThan(501)
    }
  }
})

it('renders the columns in view', () => {
  const starts = columnStarts([10, 10, 10, 10])
  expect(starts).toEqual([0, 97, 194, 291, 388])
  expect(columnsInView(starts, 0, 100)).toEqual([0, 2])
  expect(columnsInView(starts, 200, 50)).toEqual([2, 3])
  expect(columnsInView(starts, 350, 1000)).toEqual([3, 4])
})

it('moves between cells, and stops at the edges', () => {
  const grid = { rows: 100, columns: 3, page: 10, ctrl: false }
  const press = (key: string, row: number, column: number, ctrl = false) =>
    moveInGrid({ row, column }, key, { ...grid, ctrl })
  expect(press('ArrowUp', 0, 1)).toEqual({ row: -1, column: 1 })
  expect(press('ArrowUp', -1, 1)).toEqual({ row: -1, column: 1 })
  expect(press('PageDown', 95, 1)).toEqual({ row: 99, column: 1 })
  expect(press('End', 5, 0)).toEqual({ row: 5, column: 2 })
  expect(press('End', 5, 0, true)).toEqual({ row: 99, column: 2 })
  expect(press('ArrowRight', 5, 2)).toEqual({ row: 5, column: 2 })
  expect(press('x', 5, 2)).toBeNull()
})
