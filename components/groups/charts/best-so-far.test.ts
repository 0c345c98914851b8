import { expect, it } from 'vitest'
import { heldMember, makeMember } from '../testing/make-group'
import { bestSoFar } from './best-so-far'

const ended = (
  index: number,
  minutes: number,
  loss: number | null,
  status: 'completed' | 'failed' = 'completed',
) =>
  makeMember(index, {
    status,
    metrics: loss === null ? {} : { loss },
    ended_at: new Date(Date.parse('2026-11-22T10:00:00.000Z') + minutes * 60_000).toISOString(),
  })
const search = { metric: 'loss', mode: 'min', gpus: 2 } as const

it('the best value goes over the GPU hours of all ended members, in the order of their ends', () => {
  const members = [
    ended(0, 60, 0.5),
    ended(1, 30, 0.9),
    ended(2, 90, 0.7),
    ended(3, 15, 0.1, 'failed'),
    heldMember(4),
  ]
  expect(bestSoFar(members, search)).toEqual({
    x: { name: 'GPU hours', values: [1.5, 3.5, 6.5] },
    series: [{ name: 'best loss', values: [0.9, 0.5, 0.5] }],
  })
  expect(bestSoFar(members, { ...search, mode: 'max', gpus: 0 })).toEqual({
    x: { name: 'hours of run time', values: [0.75, 1.75, 3.25] },
    series: [{ name: 'best loss', values: [0.9, 0.9, 0.9] }],
  })
})

it('one value makes no line', () => {
  expect(bestSoFar([ended(0, 60, 0.5), ended(1, 30, null)], search)).toBeNull()
})
