import { expect, it } from 'vitest'
import { findFailedInstance } from '@/lib/contract/failure/find-failed-instance'
import { makeInstance, makeJob } from '../../testing/fixtures'

const { resources } = makeJob()

const instance = (rank: number, reason: string | null, ended_at: string | null) =>
  makeInstance({ rank, reason, ended_at })
const find = (...got: ReturnType<typeof instance>[]) => findFailedInstance({ ...resources, got })?.rank

it('finds the instance whose program failed first', () => {
  expect(
    find(
      instance(0, 'exit_code', '2026-11-23T10:00:02.000Z'),
      instance(1, 'exit_code', '2026-11-23T10:00:01.000Z'),
      instance(2, 'peer_failed', '2026-11-23T10:00:00.500Z'),
    ),
  ).toBe(1)
})

it('takes the lower rank if two failed in the same millisecond', () => {
  const at = '2026-11-23T10:00:02.000Z'
  expect(find(instance(2, 'exit_code', at), instance(1, 'exit_code', at))).toBe(1)
})

it('finds none for one instance, or if no program failed', () => {
  expect(find(instance(0, 'exit_code', '2026-11-23T10:00:02.000Z'))).toBeUndefined()
  expect(find(instance(0, 'node_lost', '2026-11-23T10:00:02.000Z'), instance(1, null, null))).toBeUndefined()
})
