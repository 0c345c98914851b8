import { describe, expect, it } from 'vitest'
import { cellAt, layOutGrid, nextCell } from './grid-layout'

describe('the grid of members', () => {
  it('few members have large squares, many have small ones, and all are in the grid', () => {
    expect(layOutGrid(60, 1000)).toEqual({ size: 20, columns: 50, height: 40 })
    for (const [cells, width] of [
      [1, 300],
      [500, 320],
      [10_000, 1400],
      [10_000, 320],
      [10, 0],
    ] as const) {
      const { size, columns, height } = layOutGrid(cells, width)
      expect((height / size) * columns).toBeGreaterThanOrEqual(cells)
      expect(size).toBeGreaterThanOrEqual(4)
    }
    expect(layOutGrid(10_000, 1400).height).toBeLessThanOrEqual(260)
  })

  it('a place of the grid is the member there, and beside the squares there is none', () => {
    const layout = { size: 10, columns: 5, height: 30 }
    expect(cellAt(layout, 12, 25, 15)).toBe(7)
    expect(cellAt(layout, 12, 55, 5)).toBeNull()
    expect(cellAt(layout, 12, 35, 25)).toBeNull()
    expect(cellAt(layout, 12, -1, 5)).toBeNull()
  })

  it('arrow keys move by a square or a row, and never leave the members', () => {
    const layout = { size: 10, columns: 5, height: 30 }
    const move = (key: string, from: number | null) => nextCell(key, from, layout, 12)
    expect(move('ArrowRight', null)).toBe(0)
    expect(move('ArrowRight', 3)).toBe(4)
    expect(move('ArrowDown', 3)).toBe(8)
    expect(move('ArrowDown', 8)).toBe(8)
    expect(move('ArrowUp', 3)).toBe(3)
    expect(move('Home', 8)).toBe(0)
    expect(move('End', 0)).toBe(11)
    expect(move('a', 0)).toBeNull()
  })
})
