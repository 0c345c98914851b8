import { describe, expect, it } from 'vitest'
import { listNodes } from './json-nodes'
import { moveInTree } from './move-in-tree'

// 0: root, 1: a (open), 2: a.0, 3: a.1, 4: b (closed)
const nodes = listNodes({ a: [1, 2], b: [3] }, new Set(['0', '0/0']))

describe('moveInTree', () => {
  it.each([
    [0, 'ArrowUp', 0],
    [0, 'ArrowDown', 1],
    [4, 'ArrowDown', 4],
    [1, 'ArrowRight', 2],
    [2, 'ArrowRight', 2],
    [3, 'ArrowLeft', 1],
    [4, 'ArrowLeft', 0],
    [3, 'Home', 0],
    [0, 'End', 4],
    [0, 'PageDown', 4],
    [2, 'Enter', 2],
  ])('moveInTree from row %d, %s leads to row %d', (from, key, to) => {
    expect(moveInTree(nodes, from, key)).toEqual({ to })
  })

  it.each([
    [4, 'ArrowRight'],
    [1, 'ArrowLeft'],
    [4, 'Enter'],
    [1, ' '],
  ])('moveInTree from row %d, %s opens or closes it', (from, key) => {
    expect(moveInTree(nodes, from, key)).toEqual({ toggle: nodes[from] })
  })

  it('leaves other keys alone', () => {
    expect(moveInTree(nodes, 0, 'Tab')).toBeNull()
    expect(moveInTree([], 0, 'ArrowDown')).toBeNull()
  })
})
