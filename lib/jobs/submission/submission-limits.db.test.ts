import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { parseConfig } from '../../contract/config/config'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { loadEnv } from '../../env'
import { settleDependencies } from '../dependencies/settle-dependencies'
import { holdJob } from '../state/hold'
import { accept } from './accept'
import type { Submission } from './insert-job'

const db = testDatabase()
let ada = {} as Person

beforeAll(async () => {
  await makeJob()
})
beforeEach(async () => {
  loadEnv({})
  await db.pool.query('TRUNCATE jobs, active_job_changes CASCADE')
  await db.pool.query('UPDATE policies SET max_queue_size = 100')
  ada = await makePerson()
})

function submission(extra = ''): Submission {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 10\n${extra}`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const code = Buffer.from('print(1)')
  const bodyHash = createHash('sha256').update(code).digest()
  return { code, runId: null, config: parsed.config, bodyHash, idempotencyKey: null }
}

const submit = async (extra = '', limits: Partial<Person['actor']['limits']> = {}) => {
  const actor = { ...ada.actor, limits: { submissionsPerMinute: 1000, maxActiveJobs: 1, ...limits } }
  return (await accept(actor, submission(extra))).jobId
}
const refusal = async (...given: Parameters<typeof submit>) => {
  const error = await submit(...given).catch((thrown) => thrown)
  return { message: error.message, ...error.toProblem?.() }
}

describe('a refusal by a limit names the jobs', () => {
  it('a refusal by a limit names the jobs that are active, by their names', async () => {
    const first = await submit('name: the first')
    expect(await refusal('name: another')).toMatchObject({
      status: 429,
      detail: expect.stringContaining(
        'You have 1 active job ("the first"), and your limit is 1. Wait until it ends, or cancel it.',
      ),
      jobs: [{ job_id: first, name: 'the first', status: 'pending' }],
    })
    const second = await submit('', { maxActiveJobs: 2 })
    expect(await refusal('', { maxActiveJobs: 2 })).toMatchObject({
      detail: expect.stringContaining(
        `You have 2 active jobs ("the first", ${second}), and your limit is 2.`,
      ),
      jobs: [{ job_id: first }, { job_id: second, name: null }],
    })
  })

  it('a refusal by a limit names the jobs and of many the oldest five', async () => {
    const ids = []
    for (let i = 1; i <= 7; i++) ids.push(await submit(`name: job ${i}`, { maxActiveJobs: 7 }))
    const { detail, jobs } = await refusal('', { maxActiveJobs: 7 })
    expect(detail).toContain('7 active jobs ("job 1", "job 2", "job 3", "job 4", "job 5" and 2 more)')
    expect(jobs.map((job: { job_id: string }) => job.job_id)).toEqual(ids.slice(0, 5))
  })

  it('a refusal by a limit names the jobs that wait, and those whose cancelling gives a submission back', async () => {
    const waiting = await submit('name: waits', { maxActiveJobs: null, job: { max_waiting_jobs: 1 } })
    const ofWaiting = await refusal('', { maxActiveJobs: 10, job: { max_waiting_jobs: 1 } })
    expect(ofWaiting).toMatchObject({
      detail: expect.stringContaining('1 waiting jobs ("waits")'),
      jobs: [{ job_id: waiting }],
    })
    const ofRate = await refusal('', { maxActiveJobs: 10, submissionsPerMinute: 1 })
    expect(ofRate).toMatchObject({
      detail: expect.stringMatching(/Try again in \d+ seconds, or cancel one that waits \("waits"\)/),
      jobs: [{ job_id: waiting }],
    })
    await db.pool.query(
      "UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now()",
    )
    expect(await refusal('', { maxActiveJobs: 10, submissionsPerMinute: 1 })).not.toHaveProperty('jobs')
  })
})

describe('a job that waits for others', () => {
  it('is not active, and is active once they have completed', async () => {
    const first = await submit('name: first')
    await submit(`name: second\ndepends_on: ${first}`)
    await submit(`name: third\ndepends_on: ${first}`)
    await db.pool.query(
      "UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() WHERE id = $1",
      [first],
    )
    await settleDependencies()
    expect((await refusal('')).detail).toContain('2 active jobs ("second", "third")')
    // The job that it names has completed, so it would be active at once.
    expect((await refusal(`depends_on: ${first}`)).detail).toContain('2 active jobs')
  })

  it('has no place in the queue, which has a limit', async () => {
    await db.pool.query('UPDATE policies SET max_queue_size = 2')
    const first = await submit()
    for (let i = 0; i < 5; i++) await submit(`depends_on: ${first}`)
    await submit('', { maxActiveJobs: 10 })
    expect((await refusal('', { maxActiveJobs: 10 })).detail).toContain(
      'The queue is full: 2 or more jobs wait',
    )
    await submit(`depends_on: ${first}`)
  })

  it('is one of at most a hundred of its user, and of fewer if the admin says so', async () => {
    loadEnv({ GPUQ_MAX_DEPENDENT_JOBS: '2' })
    const first = await submit()
    const [second] = [await submit(`name: next\ndepends_on: ${first}`), await submit(`depends_on: ${first}`)]
    expect(await refusal(`depends_on: ${first}`)).toMatchObject({
      status: 429,
      detail: expect.stringMatching(
        /2 jobs that wait for other jobs or for an approval \("next", .*limit is 2 \(GPUQ_MAX_DEPENDENT_JOBS\)/,
      ),
      jobs: [{ job_id: second, name: 'next' }, {}],
    })
    ada = await makePerson('admin')
    const own = await submit()
    const outcomes = await Promise.allSettled(Array.from({ length: 9 }, () => submit(`depends_on: ${own}`)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    loadEnv({})
    await submit(`depends_on: ${own}`)
  })

  it('counts to the limit of those that wait for others also while its user holds it', async () => {
    loadEnv({ GPUQ_MAX_DEPENDENT_JOBS: '1' })
    const first = await submit()
    const second = await submit(`depends_on: ${first}`)
    await transaction((tx) => holdJob(tx, second, true, null))
    expect(await refusal(`depends_on: ${first}`)).toMatchObject({ status: 429, jobs: [{ job_id: second }] })
  })
})

it('where nodes are started on demand, jobs that none fits count, unless an admin took their node away', async () => {
  loadEnv({ GPUQ_PROVISION_UP: 'up', GPUQ_PROVISION_DOWN: 'down' })
  onTestFinished(() => loadEnv({}))
  const never = await submit('gpu_count: 8')
  await db.pool.query("UPDATE jobs SET reason = 'never_fits' WHERE id = $1", [never])
  await expect(submit('gpu_count: 8')).rejects.toMatchObject({ code: 'rate_limited' })
  await expect(submit('', { maxActiveJobs: 5, job: { max_waiting_jobs: 1 } })).rejects.toThrow(
    'max_waiting_jobs is 1',
  )
  const { leaseId } = await makeNode({ gpus: 8 })
  await db.pool.query("UPDATE nodes SET status = 'lost', forgotten_at = now() WHERE lease_id = $1", [leaseId])
  await submit('gpu_count: 8')
})

it('a job that no node fits any more does not lock its owner out', async () => {
  const stranded = await submit()
  expect(await refusal()).toMatchObject({ status: 429 })
  await db.pool.query("UPDATE jobs SET reason = 'never_fits' WHERE id = $1", [stranded])
  await submit('', { job: { max_waiting_jobs: 1 } })
  await db.pool.query("UPDATE jobs SET reason = 'no_free_gpu' WHERE id = $1", [stranded])
  expect(await refusal()).toMatchObject({ status: 429, detail: expect.stringContaining('2 active jobs') })
})

it('a submission that the limit per minute refused is accepted a minute after the first', async () => {
  const limits = { submissionsPerMinute: 5, maxActiveJobs: 100 }
  for (let i = 0; i < 5; i++) await submit('', limits)
  const { status, detail } = await refusal('', limits)
  expect([status, detail]).toEqual([429, expect.stringContaining('5 jobs in the last minute')])
  await db.pool.query("UPDATE jobs SET created_at = created_at - interval '1 minute'")
  await submit('', limits)
})
