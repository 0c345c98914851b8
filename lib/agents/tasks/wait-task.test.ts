import { expect, it } from 'vitest'
import { readTaskId, taskableWait, toTaskId } from './wait-task'

const id = (number: number) => `01a22161-fe18-7792-9436-${number.toString(16).padStart(12, '0')}`
const ids = (count: number) => Array.from({ length: count }, (_, index) => id(index))

it.each(['any', 'all'] as const)(
  'the id of a task that waits for %s of 100 jobs says what it waits for, and fits into a header',
  (what) => {
    const wait = { ids: ids(100), for: what, show: 7 }
    const createdAt = new Date('2026-11-28T09:00:00.123Z')
    const taskId = toTaskId({ wait, createdAt })
    expect(taskId.length).toBeLessThan(4000)
    expect(readTaskId(taskId)).toEqual({ wait, createdAt })
  },
)

it('ids that no task has are refused', () => {
  const valid = toTaskId({ wait: { ids: ids(2), for: 'all', show: 10 }, createdAt: new Date(0) })
  const bytes = Buffer.from(valid, 'base64url')
  const changed = (at: number, to: number) =>
    Buffer.from(bytes)
      .fill(to, at, at + 1)
      .toString('base64url')
  // Another version, a third kind of waiting, and nothing or too much to show.
  const others = [changed(0, 9), changed(1, 2), changed(2, 0), changed(2, 51)]
  const broken = ['', 'x', valid.slice(0, -1), `${valid}=`, `${valid}!`, `${valid}AAAA`]
  for (const taskId of [...others, ...broken]) expect(readTaskId(taskId), taskId).toBeNull()
})

it('a call becomes a task unless it says how long it waits, has too many ids, or is wrong', () => {
  const wait = { ids: [id(1)], for: 'all', show: 10 }
  expect(taskableWait({ ids: [id(1), id(1).toUpperCase()] })).toMatchObject(wait)
  expect(taskableWait({ ids: [id(1)], seconds: 5 })).toBeNull()
  expect(taskableWait({ ids: ids(101) })).toBeNull()
  expect(taskableWait({ ids: ['not an id'] })).toBeNull()
  expect(taskableWait({ ids: [] })).toBeNull()
  expect(taskableWait(undefined)).toBeNull()
})
