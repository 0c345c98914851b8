import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { deleteCheckpoints } from '../../checkpoints/delete-checkpoints'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { cancelJob } from '../../jobs/lifecycle/cancel'
import { readJob } from '../../jobs/read/read'
import { pauseAttempt } from '../../jobs/state/pause'
import { setHeld } from '../../queue/hold'
import { cancelGroup } from '../cancel-group'
import { groupDetailSchema } from '../contract'
import { listMembers, readGroup } from '../groups'
import { releaseMembers } from '../release-members'
import { groupRoutes } from '../routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let ada: Person
beforeAll(async () => {
  ada = await makePerson()
  // The first job creates an environment.
  await makeJob()
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE job_groups, jobs, active_job_changes CASCADE')
  await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 100')
  await db.pool.query('UPDATE policies SET max_queue_size = 1000')
})

/** Submits a group of members with the learning rates from 1, and puts those into the queue that have a place. */
async function create(members: number, parallel = members): Promise<string> {
  const config = {
    competition_id: 'c',
    project_id: 'p',
    expected_time: 10,
    command: 'python train.py --lr {lr}',
    matrix: { lr: { from: 1, to: members } },
    parallel,
    objective: { metric: 'loss', mode: 'min' },
    stop: { rule: 'asha', reduction: 3, min_step: 10, resume: true },
  }
  const { body } = await call(groupRoutes.create, '/api/groups', {
    method: 'POST',
    body: { config },
    cookie: ada.cookie,
  })
  await release()
  return groupDetailSchema.parse(body).group_id
}

/** As the leader does after each change of the queue. */
async function release() {
  while (await releaseMembers());
}

const membersOf = async (id: string) => (await listMembers(ada.actor, id, { limit: 100 })).items
const statusesOf = async (id: string) => (await membersOf(id)).map(({ status }) => status)
const jobOf = async (id: string, index: number) => (await membersOf(id))[index]?.job_id ?? ''

/** A member has reached the first step at which members are compared. */
const reach = (id: string, index: number, value: number) =>
  db.pool.query('INSERT INTO group_rungs VALUES ($1, $2, 0, 10, $3, $3, $3)', [id, index, value])

/** Pauses a member that runs, as the leader and the member's node do. */
async function pause(id: string, index: number, value: number): Promise<string> {
  const jobId = await jobOf(id, index)
  await reach(id, index, value)
  await db.pool.query(`UPDATE group_members SET stop_reason = 'Stopped at step 10.' WHERE job_id = $1`, [
    jobId,
  ])
  await db.pool.query(
    `UPDATE jobs SET status = 'running', attempt = 1, cancel_requested_at = now(), cancel_reason = 'group_paused' WHERE id = $1`,
    [jobId],
  )
  await transaction((tx) => pauseAttempt(tx, { jobId, attempt: 1 }))
  return jobId
}

/** Ends a member that has not been paused. */
async function complete(id: string, index: number) {
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() WHERE id = $1`,
    [await jobOf(id, index)],
  )
}

describe('a paused member', () => {
  it('a paused member has no place in its group, in the queue, or among the active jobs of its user, and says why it waits', async () => {
    await db.pool.query('UPDATE users SET max_active_jobs = 1')
    await db.pool.query('UPDATE policies SET max_queue_size = 1')
    const id = await create(3, 1)
    const jobId = await pause(id, 0, 5)
    await reach(id, 1, 1)
    await reach(id, 2, 2)
    await release()
    expect(await readGroup(ada.actor, id)).toMatchObject({
      status: 'running',
      counts: { held: 1, paused: 1, pending: 1 },
    })
    expect(await statusesOf(id)).toEqual(['paused', 'pending', 'held'])
    const paused = await listMembers(ada.actor, id, { limit: 100, status: 'paused' })
    expect(paused.items).toMatchObject([{ index: 0, reason_text: 'Paused at step 10.' }])
    expect((await listMembers(ada.actor, id, { limit: 100, status: 'pending' })).items).toHaveLength(1)
    expect(await readJob(ada.actor, jobId)).toMatchObject({
      status: 'pending',
      reason: 'group_paused',
      cancel_requested: false,
      reason_text: expect.stringMatching(
        /^The group of the job paused it, .* continues from its checkpoints .* Paused at step 10\.$/,
      ),
    })
  })

  it('concurrent leaders let the best ones continue once, at most as many as the group has places', async () => {
    const id = await create(8)
    for (let index = 0; index < 8; index++) await pause(id, index, 8 - index)
    await db.pool.query('UPDATE job_groups SET parallel = 1')
    await Promise.all(Array.from({ length: 4 }, releaseMembers))
    expect(await statusesOf(id)).toEqual([...Array(7).fill('paused'), 'pending'])
    await complete(id, 7)
    await Promise.all(Array.from({ length: 4 }, releaseMembers))
    expect(await statusesOf(id)).toEqual([...Array(6).fill('paused'), 'pending', 'completed'])
  })

  it('a paused member continues before the group puts another member into the queue, also if its environment was disabled', async () => {
    const id = await create(6, 4)
    for (const index of [0, 1, 2]) await pause(id, index, index + 1)
    await db.pool.query('UPDATE job_groups SET parallel = 2')
    await db.pool.query('UPDATE environments SET enabled = false')
    await releaseMembers()
    await db.pool.query('UPDATE environments SET enabled = true')
    expect(await statusesOf(id)).toEqual(['pending', 'paused', 'paused', 'pending', 'held', 'held'])
    const { rows } = await db.pool.query('SELECT stop_reason FROM group_members WHERE index = 0')
    expect(rows).toEqual([{ stop_reason: null }])
  })

  it('a paused member ends with the last comparison when nothing can change it any more, and then the group ends', async () => {
    const id = await create(3)
    await reach(id, 0, 1)
    for (const index of [1, 2]) await pause(id, index, index + 1)
    await release()
    expect(await statusesOf(id)).toEqual(['pending', 'paused', 'paused'])
    await complete(id, 0)
    await release()
    expect(await readGroup(ada.actor, id)).toMatchObject({
      status: 'completed',
      ended_at: expect.any(String),
      counts: { completed: 1, cancelled: 2, paused: 0, pending: 0 },
    })
    expect((await membersOf(id))[2]?.reason_text).toBe(
      'Stopped at step 10: loss 3 is worse than that of 2 of 3 members. The best 1 of 3 go on.',
    )
    expect((await readJob(ada.actor, await jobOf(id, 2))).reason_text).toMatch(
      /^The group of the job stopped it early.* Stopped at step 10: loss 3 is worse/,
    )
  })

  it('a group with only paused members ends although its user has no place for another job', async () => {
    const id = await create(3)
    await pause(id, 0, 5)
    await reach(id, 1, 1)
    await reach(id, 2, 2)
    await complete(id, 1)
    await complete(id, 2)
    await db.pool.query('UPDATE users SET max_active_jobs = 0')
    await release()
    expect(await readGroup(ada.actor, id)).toMatchObject({
      status: 'completed',
      counts: { completed: 2, cancelled: 1 },
    })
  })

  it('a group with a member whose last output is not read yet keeps its paused members', async () => {
    const id = await create(3)
    for (const index of [1, 2]) await pause(id, index, index + 1)
    await reach(id, 0, 1)
    await complete(id, 0)
    const job = await jobOf(id, 0)
    const { nodeId } = await makeNode()
    await db.pool.query(
      `INSERT INTO tasks (id, job_id, node_id, attempt, status, cpu_milli, memory_mib)
       VALUES (gen_random_uuid(), $1, $2, 0, 'completed', 1, 1)`,
      [job, nodeId],
    )
    await release()
    expect(await statusesOf(id)).toEqual(['completed', 'paused', 'paused'])
    await db.pool.query('UPDATE group_members SET curve_read = true')
    await release()
    expect(await statusesOf(id)).toEqual(['completed', 'cancelled', 'cancelled'])
  })
})

describe('what a person does with a paused member', () => {
  it('to hold or release it is refused with what to do instead', async () => {
    const id = await create(3)
    const jobId = await pause(id, 0, 5)
    await expect(setHeld(ada.actor, jobId, true)).rejects.toThrow(/has paused it.*cancel the job/)
    await expect(setHeld(ada.actor, jobId, false)).rejects.toThrow(/has paused it.*run it again/)
    expect((await statusesOf(id))[0]).toBe('paused')
  })

  it('its checkpoints are not deleted while it can continue', async () => {
    const id = await create(3)
    const jobId = await pause(id, 0, 5)
    const { rows } = await db.pool.query<{ id: string }>('SELECT project_id AS id FROM job_groups')
    await expect(deleteCheckpoints(ada.actor, { projectId: rows[0]?.id ?? '', run: jobId })).rejects.toThrow(
      /has not ended/,
    )
  })

  it('a paused member that is cancelled never continues', async () => {
    const id = await create(3)
    const jobId = await pause(id, 0, 5)
    await cancelJob(ada.actor, jobId)
    await release()
    expect(await readJob(ada.actor, jobId)).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_by_user',
    })
  })

  it('a group that is cancelled cancels its paused members', async () => {
    const id = await create(3)
    await pause(id, 0, 5)
    await cancelGroup(ada.actor, id)
    await release()
    expect(await readGroup(ada.actor, id)).toMatchObject({
      status: 'cancelled',
      counts: { cancelled: 3, paused: 0, pending: 0 },
    })
  })
})
