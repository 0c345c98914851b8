import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Actor } from '../../access/actor'
import { makeJob, makeUser } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { registerAllEngines } from '../../engines'
import { readJobDetail } from '../../jobs/read/read'
import { readQueue } from '../../queue/list'
import { slurmForecaster } from './forecaster'

vi.hoisted(() => vi.stubEnv('GPUQ_ENGINE', 'slurm'))
registerAllEngines()
const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, slurm_jobs, users CASCADE')
  await db.pool.query('UPDATE slurm_cluster SET problem = NULL')
})

interface InSlurm {
  slurmId?: number
  startsAt?: Date
  held?: boolean
  reason?: string
  endedAt?: Date
}

async function submitted(
  jobId: string,
  { slurmId, startsAt, held, reason, endedAt }: InSlurm,
): Promise<string> {
  await db.pool.query(
    `INSERT INTO slurm_jobs (id, job_id, secret_hash, slurm_id, state, reason, starts_at, held, ended_at)
     VALUES ($1, $2, $3, $4, 'PENDING', $5, $6, $7, $8)`,
    [uuidv7(), jobId, randomBytes(32), slurmId, reason, startsAt, held ?? false, endedAt],
  )
  return jobId
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

it('orders the waiting jobs as Slurm expects to start them, without those that gpuq holds', async () => {
  const unpredicted = await submitted(await makeJob(), { slurmId: 1, reason: 'Priority' })
  const urgent = await submitted(await makeJob({ priority: 5 }), { slurmId: 2 })
  const later = await submitted(await makeJob(), { slurmId: 3, startsAt: inMinutes(30) })
  const held = await submitted(await makeJob({ priority: 9 }), {
    slurmId: 4,
    held: true,
    startsAt: inMinutes(1),
  })
  const notSubmitted = await makeJob()
  const overdue = await submitted(await makeJob(), { slurmId: 5, startsAt: inMinutes(-30) })
  await db.pool.query('UPDATE jobs SET held = true WHERE id = $1', [await makeJob()])
  // The start of an earlier submission says nothing.
  await submitted(notSubmitted, { slurmId: 6, startsAt: inMinutes(1), endedAt: inMinutes(-1) })
  const { jobs } = await slurmForecaster.forecastFirst()
  expect([...jobs.keys()]).toEqual([overdue, later, urgent, unpredicted, notSubmitted, held])
  expect([...jobs.values()].map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6])
  const starts = [...jobs.values()].map(({ expectedStart }) => expectedStart)
  expect(starts[0]?.getTime()).toBeGreaterThan(inMinutes(-5).getTime())
  expect(starts[1]?.getTime()).toBeGreaterThan(inMinutes(25).getTime())
  expect(starts.slice(2)).toEqual([null, null, null, null])
  expect(await slurmForecaster.listOthers([overdue, later, urgent])).toEqual([
    unpredicted,
    notSubmitted,
    held,
  ])
})

it('predicts nothing while Slurm does not answer, and keeps the order', async () => {
  const second = await submitted(await makeJob(), { slurmId: 1, startsAt: inMinutes(20) })
  const first = await submitted(await makeJob(), { slurmId: 2, startsAt: inMinutes(10) })
  await db.pool.query(`UPDATE slurm_cluster SET problem = 'The controller did not answer within 10 s.'`)
  const { jobs } = await slurmForecaster.forecastFirst()
  expect([...jobs]).toEqual([
    [first, { position: 1, expectedStart: null, range: null, basis: null }],
    [second, { position: 2, expectedStart: null, range: null, basis: null }],
  ])
})

it('shows the queue in that order, and a job with its submission', async () => {
  const userId = await makeUser('ada')
  const actor = { userId, handle: 'ada', role: 'researcher', restriction: null } as Actor
  const later = await submitted(await makeJob({ userId, priority: 7 }), {
    slurmId: 11,
    startsAt: inMinutes(30),
  })
  const first = await submitted(await makeJob({ userId }), {
    slurmId: 12,
    startsAt: inMinutes(5),
    reason: 'Resources',
  })
  const queue = await readQueue(actor)
  expect(queue.engine).toBe('slurm')
  expect(queue.queued.map(({ job_id, position }) => [job_id, position])).toEqual([
    [first, 1],
    [later, 2],
  ])
  expect(queue.queued[0]?.expected_start).not.toBeNull()
  expect((await readJobDetail(first)).slurm).toEqual({
    slurm_id: 12,
    state: 'PENDING',
    reason: 'Resources',
    held: false,
    restarts: 0,
  })
  expect((await readJobDetail(await makeJob())).slurm).toBeNull()
})
