import { beforeAll, beforeEach, expect, it } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { forgetNode } from '../../cluster/admin/forget'
import { takeSnapshot } from '../../cluster/placement/snapshot'
import { jobState, makeJob, makeNode } from '../../cluster/testing/rows'
import type { WaitReason } from '../../contract/reasons'
import { testDatabase } from '../../database/testing/test-database'
import { loadEnv } from '../../env'
import { plan } from '../../scheduling/plan'
import { readJobDetail } from '../read/read'
import { explainWaits } from '../state/explain'
import { endNeverFitting } from './end-never-fitting'

const db = testDatabase()
let admin = {} as Person
beforeAll(async () => {
  admin = await makePerson('admin')
})
beforeEach(async () => {
  loadEnv({})
  await db.pool.query('TRUNCATE nodes, jobs, notification_deliveries, notification_targets CASCADE')
  await makeNode({ gpus: 1 })
})

/** A job for which an admin has just removed the only node that was large enough. */
async function strand(): Promise<string> {
  const { nodeId } = await makeNode({ gpus: 4 })
  const job = await makeJob({ spec: { gpu_count: 4 } })
  await db.pool.query("UPDATE nodes SET status = 'lost', lease_expires_at = now() WHERE id = $1", [nodeId])
  const { rows } = await db.pool.query<{ number: number }>('SELECT number FROM nodes WHERE id = $1', [nodeId])
  await forgetNode(admin.actor, String(rows[0]?.number))
  await explain()
  expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'never_fits' })
  return job
}

const explain = async () => explainWaits(plan((await takeSnapshot()).snapshot).waiting)
const setReason = (jobId: string, reason: WaitReason) => explainWaits([{ jobId, reason, detail: null }])

/** Moves everything that has happened to a waiting job into the past. */
const pass = (days: number) =>
  db.pool.query(
    `UPDATE jobs SET never_fits_since = never_fits_since - make_interval(days => $1),
                     never_fits_ends_at = never_fits_ends_at - make_interval(days => $1)`,
    [days],
  )

it('a job ends a week after an admin removed the only node that fitted it, and its owner is told a day before', async () => {
  const job = await strand()
  await db.pool.query(
    `INSERT INTO notification_targets (id, user_id, kind, name, address, config, events)
     SELECT gen_random_uuid(), user_id, 'webhook', n, n, '', ARRAY[n] FROM jobs, unnest(ARRAY['job.never_fits', 'job.failed']) n`,
  )
  const told = async () =>
    (await db.pool.query('SELECT event, data FROM notification_deliveries ORDER BY created_at')).rows
  await pass(5)
  await endNeverFitting()
  expect(await told()).toEqual([])
  await pass(1)
  await endNeverFitting()
  await endNeverFitting()
  expect(await told()).toMatchObject([
    { event: 'job.never_fits', data: { job_id: job, stops_at: expect.stringMatching(/^\d{4}-.*Z$/) } },
  ])
  expect(await jobState(job)).toMatchObject({ status: 'pending' })
  await pass(1)
  await endNeverFitting()
  expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'never_fits' })
  expect((await readJobDetail(job)).reason_text).toMatch(
    /^The job was removed from the queue, .* It asks for 4 GPUs, and the largest node has 1\. An admin removed a node, and no other fitted for 7 days\.$/,
  )
  expect(await told()).toMatchObject([{ event: 'job.never_fits' }, { event: 'job.failed' }])
})

it('the job says when it ends, from the removal of the node on', async () => {
  const job = await strand()
  const daysLeft = async () => {
    const { never_fits_ends_at: at } = await readJobDetail(job)
    return at === null ? null : Math.round((Date.parse(at) - Date.now()) / 86_400_000)
  }
  expect(await daysLeft()).toBe(7)
  await pass(5)
  expect(await daysLeft()).toBe(2)
  await pass(30)
  expect(await daysLeft()).toBe(1)
  await endNeverFitting()
  expect(await daysLeft()).toBe(1)
  loadEnv({ GPUQ_NEVER_FITS_DAYS: '0' })
  expect(await daysLeft()).toBeNull()
  loadEnv({})
  await makeNode({ gpus: 8 })
  await db.pool.query('UPDATE nodes SET paused_at = now()')
  await explain()
  expect(await daysLeft()).toBeNull()
})

it('the owner has a day, also if gpuq was off for a month', async () => {
  const job = await strand()
  await pass(30)
  await endNeverFitting()
  expect(await jobState(job)).toMatchObject({ status: 'pending' })
  await pass(1)
  await endNeverFitting()
  expect(await jobState(job)).toMatchObject({ status: 'failed' })
})

it('the days begin again when a node has fitted the job, and go on while nothing can be said', async () => {
  const job = await strand()
  await pass(30)
  await endNeverFitting()
  for (const reason of ['no_node', 'stopped', 'budget', 'never_fits'] as const) await setReason(job, reason)
  const since = async () =>
    (
      await db.pool.query<{ days: number }>(
        'SELECT extract(days FROM now() - never_fits_since)::int AS days FROM jobs',
      )
    ).rows[0]?.days
  expect(await since()).toBe(30)
  await setReason(job, 'no_free_gpu')
  expect(await since()).toBeNull()
  await setReason(job, 'never_fits')
  expect(await since()).toBe(0)
  await pass(1)
  await endNeverFitting()
  expect(await jobState(job)).toMatchObject({ status: 'pending' })
})

it('a job whose node no admin removed never ends, and neither does one where the days are 0', async () => {
  const never = await makeJob({ spec: { gpu_count: 4 } })
  await explain()
  for (const _ of [1, 2]) {
    await pass(100)
    await endNeverFitting()
  }
  expect(await jobState(never)).toMatchObject({ status: 'pending', reason: 'never_fits' })
  const stranded = await strand()
  loadEnv({ GPUQ_NEVER_FITS_DAYS: '0' })
  for (const _ of [1, 2]) {
    await pass(100)
    await endNeverFitting()
  }
  expect(await jobState(stranded)).toMatchObject({ status: 'pending' })
})

it('a node that fits ends the wait', async () => {
  const job = await strand()
  await pass(30)
  await endNeverFitting()
  await makeNode({ gpus: 8 })
  await explain()
  await db.pool.query('UPDATE nodes SET paused_at = now()')
  await explain()
  await pass(30)
  await endNeverFitting()
  expect(await jobState(job)).toMatchObject({ status: 'pending', reason: 'node_unavailable' })
})
