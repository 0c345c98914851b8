import { expect, it } from 'vitest'
import { formatScore, visibleColumns } from './columns'

it('a score has the digits of its column, and no sign if they are all zero', () => {
  expect(formatScore(0.98765, 3)).toBe('0.988')
  expect(formatScore(3, 0)).toBe('3')
  expect(formatScore(-0.0004, 3)).toBe('0.000')
  expect(formatScore(-0.0005, 3)).toBe('-0.001')
})

it('participants see private columns only after the board is revealed, and all columns in the order of the file', () => {
  const columns = {
    priv: { split: 'private', order: 'desc', digits: 4, place: 1 },
    acc: { split: 'public', order: 'desc', digits: 4, place: 0 },
  } as const
  const seen = (isStaff: boolean, isRevealed: boolean) =>
    visibleColumns({ columns }, { isStaff, isRevealed }).map(({ name }) => name)
  expect(seen(false, false)).toEqual(['acc'])
  expect(seen(false, true)).toEqual(['acc', 'priv'])
  expect(seen(true, false)).toEqual(['acc', 'priv'])
})
