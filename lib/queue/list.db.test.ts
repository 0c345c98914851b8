import { beforeAll, expect, it } from 'vitest'
import type { Actor } from '../access/actor'
import { placeManually } from '../cluster/testing/placed'
import { copyRows, makeJob, makeNode, makeUser } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { readQueue } from './list'

const db = testDatabase()
let actor: Actor

beforeAll(async () => {
  const userId = await makeUser('ada')
  await db.pool.query(`UPDATE users SET name = 'Ada Lovelace' WHERE id = $1`, [userId])
  actor = { userId, handle: 'ada', role: 'researcher', restriction: null } as Actor
  const { nodeId } = await makeNode({ gpus: 4 })
  for (const index of [0, 1, 2, 3])
    await placeManually(nodeId, await makeJob({ userId }), { indices: [index] })
  const first = await makeJob({ userId, priority: 5 })
  // More than a pass looks at, of one user and for one reason.
  await copyRows('jobs', first, { priority: 0 }, { count: 399 })
  // However long the reading takes, none of those that run is late: starts that are expected stay.
  await db.pool.query(
    `UPDATE jobs SET expected_time_s = 86400, time_limit_s = 86400 WHERE status <> 'pending'`,
  )
})

it('tells of as many jobs as were asked for, and how many there are', async () => {
  const { queued, running, queued_total, running_total } = await readQueue(actor, { limit: 3 })
  expect([queued.length, running.length]).toEqual([3, 3])
  expect([queued_total, running_total]).toEqual([400, 4])
  expect(running[0]).toMatchObject({ user: 'ada', user_name: 'Ada Lovelace' })
})

it('tells of the same ones in the same order, whether more are asked for or not', async () => {
  const all = await readQueue(actor)
  expect([all.queued.length, all.running.length]).toEqual([400, 4])
  expect(all.queued.map(({ position }) => position)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1))
  expect(all.queued[0]?.priority).toBe(5)
  expect(new Set(all.queued.map(({ job_id }) => job_id)).size).toBe(400)
  for (const limit of [2, 300]) {
    const some = await readQueue(actor, { limit })
    expect(some.queued).toEqual(all.queued.slice(0, limit))
    expect(some.running).toEqual(all.running.slice(0, limit))
  }
})

it('gives a job that is newer than the forecast a position', async () => {
  await readQueue(actor)
  const id = await makeJob({ userId: actor.userId })
  const { queued } = await readQueue(actor)
  expect(queued.find(({ job_id }) => job_id === id)?.position).toBe(401)
})

it('a job that fits no node is listed after the others, without a position', async () => {
  const id = await makeJob({ userId: actor.userId, priority: 9 })
  await db.pool.query(`UPDATE jobs SET reason = 'never_fits' WHERE id = $1`, [id])
  const { queued } = await readQueue(actor)
  expect(queued.at(-1)).toMatchObject({ job_id: id, position: null, expected_start: null })
})
