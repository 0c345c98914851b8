import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareCells } from './sort-cells'

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
