import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { queueSubmittedSchema } from '../../contract/queue'
import { testDatabase } from '../../database/testing/test-database'
import { cancelJob } from '../../jobs/lifecycle/cancel'
import { queueRoutes } from '../queue/queue'
import { upload } from '../testing/upload'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[ada, bob, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
  await db.pool.query(
    `UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000, job_limits = '{"max_priority": 100}'`,
  )
  // The first job creates an environment.
  await makeJob()
  await db.pool.query(
    `INSERT INTO environments (id, name, image) VALUES (gen_random_uuid(), 'other', 'gpuq/python:2')`,
  )
})
beforeEach(() => db.pool.query('TRUNCATE jobs, idempotency_keys CASCADE'))

const once = 'wait=false&deduplicate=true'

async function end(jobId: unknown, status: 'completed' | 'failed'): Promise<void> {
  await db.pool.query(
    `UPDATE jobs SET status = $2::"JobStatus", reason = $3, exit_code = $4, ended_at = now() WHERE id = $1`,
    status === 'completed' ? [jobId, status, 'finished', 0] : [jobId, status, 'exit_code', 1],
  )
}

async function countJobs(): Promise<number> {
  const { rows } = await db.pool.query<{ jobs: number }>('SELECT count(*)::int AS jobs FROM jobs')
  return rows[0]?.jobs ?? 0
}

describe('an upload with deduplicate', () => {
  it('is one job, also if clients send it concurrently and repeatedly', async () => {
    for (const person of [ada, admin]) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => upload(person, {}, once)))
      expect(new Set(answers.map(({ body }) => body.job_id)).size).toBe(1)
      expect(answers.filter(({ body }) => body.deduplicated === false)).toHaveLength(1)
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202))
    }
    expect(await countJobs()).toBe(2)
  })

  it('answers with the earlier live or completed job; a failed or cancelled job runs again', async () => {
    const first = await upload(ada)
    const alive = await upload(ada, {}, once)
    expect(alive).toMatchObject({ status: 202, body: { job_id: first.body.job_id, deduplicated: true } })
    await end(first.body.job_id, 'completed')
    const completed = await upload(ada, {}, once)
    expect(completed.status).toBe(200)
    expect(completed.body).toMatchObject({
      job_id: first.body.job_id,
      deduplicated: true,
      status: 'completed',
      exit_code: 0,
    })
    expect(completed.headers.get('location')).toBe(`/api/status/${first.body.job_id}`)

    const failing = await upload(ada, { code: 'fail()' }, once)
    await end(failing.body.job_id, 'failed')
    const retried = await upload(ada, { code: 'fail()' }, once)
    expect(retried.body).toMatchObject({ deduplicated: false, status: 'pending' })
    await cancelJob(ada.actor, String(retried.body.job_id))
    expect((await upload(ada, { code: 'fail()' }, once)).body).toMatchObject({ deduplicated: false })
  })

  it('waits for the earlier job', async () => {
    const first = await upload(ada)
    const waiting = upload(ada, {}, 'wait=20&deduplicate=true')
    await end(first.body.job_id, 'completed')
    await db.pool.query(`SELECT pg_notify('gpuq_job', $1)`, [first.body.job_id])
    expect(await waiting).toMatchObject({ status: 200, body: { deduplicated: true, status: 'completed' } })
  })

  it('is a new job if the program, an argument, a variable, the environment or the user differs', async () => {
    const parts = [
      {},
      { code: 'print(2)' },
      { config: 'args: "--epochs 1"' },
      { config: 'env: { SEED: "1" }' },
      { config: 'environment: other' },
    ]
    const seen = new Set<unknown>()
    for (const person of [ada, bob]) {
      for (const part of parts) {
        const { body } = await upload(person, part, once)
        expect(body.deduplicated).toBe(false)
        seen.add(body.job_id)
      }
    }
    expect(seen.size).toBe(10)
    // Keys that do not change the program's input: name, priority, number of GPUs.
    expect((await upload(ada, { config: 'name: again\npriority: 5' }, once)).body.deduplicated).toBe(true)
  })

  it('is queued twice without the parameter', async () => {
    for (const query of ['wait=false', 'wait=false&deduplicate=false']) {
      expect((await upload(ada, {}, query)).body.deduplicated).toBe(false)
    }
    expect(await countJobs()).toBe(2)
    expect(await upload(ada, {}, 'wait=false&deduplicate=maybe')).toMatchObject({ status: 400 })
  })

  it('keeps its Idempotency-Key for the earlier job, also after that job failed', async () => {
    const first = await upload(ada)
    const key = { 'idempotency-key': 'k' }
    expect((await upload(ada, {}, once, key)).body).toMatchObject({ job_id: first.body.job_id })
    await end(first.body.job_id, 'failed')
    expect((await upload(ada, {}, once, key)).body).toMatchObject({ job_id: first.body.job_id })
  })
})

it('an upload and the queue API find each other’s job of the same command', async () => {
  const submit = async (who: Person, body: object) => {
    const path = '/api/queue/submit?deduplicate=true'
    const answer = await call(queueRoutes.submit, path, { method: 'POST', body, cookie: who.cookie })
    return { answered: answer.status, ...queueSubmittedSchema.parse(answer.body) }
  }
  const answers = await Promise.all(Array.from({ length: 20 }, () => submit(ada, { command: 'true' })))
  expect(new Set(answers.map(({ job_id }) => job_id)).size).toBe(1)
  expect(answers.filter(({ answered }) => answered === 201)).toHaveLength(1)
  const again = await submit(admin, { command: 'true', user: ada.handle })
  expect(again).toMatchObject({ answered: 200, deduplicated: true, job_id: answers[0]?.job_id })
  expect(await submit(admin, { command: 'true' })).toMatchObject({ answered: 201, deduplicated: false })
  expect(await submit(ada, { command: 'false' })).toMatchObject({ answered: 201, deduplicated: false })
  // A solution.py with the same text is not a command.
  expect((await upload(ada, { code: 'true' }, once)).body.deduplicated).toBe(false)
})
