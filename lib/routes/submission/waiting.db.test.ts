import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { upload } from '../testing/upload'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
vi.hoisted(() => vi.stubEnv('GPUQ_MAX_WAITING_REQUESTS', '3'))
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  await db.pool.query('UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000')
  // The first job creates an environment.
  await makeJob()
})
beforeEach(() => db.pool.query('TRUNCATE jobs, idempotency_keys CASCADE'))

async function countJobs(): Promise<number> {
  const { rows } = await db.pool.query<{ jobs: number }>('SELECT count(*)::int AS jobs FROM jobs')
  return rows[0]?.jobs ?? 0
}

async function endAll(): Promise<void> {
  await db.pool.query(
    `WITH ended AS (UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now()
                     WHERE status = 'pending' RETURNING id)
     SELECT pg_notify('gpuq_job', id::text) FROM ended`,
  )
}

describe('waiting submissions of a user', () => {
  it('are limited before the job is accepted, do not limit others, and free their place', async () => {
    const waiting = Array.from({ length: 3 }, () => upload(ada, {}, 'wait=60'))
    await expect.poll(countJobs).toBe(3)
    const refused = await upload(ada, {}, 'wait=60')
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', detail: expect.stringMatching(/3 requests that wait .*wait=false/) },
    })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await countJobs()).toBe(3)
    expect((await upload(ada, {}, 'wait=false')).status).toBe(202)
    const others = upload(bob, {}, 'wait=60')
    await expect.poll(countJobs).toBe(5)
    await endAll()
    expect((await Promise.all([...waiting, others])).map(({ status }) => status)).toEqual(Array(4).fill(200))
    expect((await upload(ada, {}, 'wait=1')).status).toBe(202)
  })

  it('free their place if the client leaves', async () => {
    for (let round = 0; round < 2; round++) {
      const controllers = Array.from({ length: 3 }, () => new AbortController())
      const left = controllers.map(({ signal }) => upload(ada, {}, 'wait=60', {}, signal))
      await expect.poll(countJobs).toBe(3 * (round + 1))
      for (const controller of controllers) controller.abort()
      await Promise.allSettled(left)
    }
  })
})

describe('a waiting submission whose token is revoked', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const revoke = (tokenId: string) =>
    db.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [tokenId])
  const refusal = {
    status: 401,
    body: { code: 'unauthenticated', detail: expect.stringMatching(/ended while .* accepted job \S+, and/) },
  }

  it('ends with 401 although the job goes on', async () => {
    const { token, tokenId } = await makeToken(ada)
    const waiting = upload(ada, {}, 'wait=60', bearer(token))
    await expect.poll(countJobs).toBe(1)
    await revoke(tokenId)
    const answer = await waiting
    expect(answer).toMatchObject(refusal)
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    expect(answer.headers.get('location')).toBeNull()
    const { rows } = await db.pool.query('SELECT status FROM jobs')
    expect(rows).toEqual([{ status: 'pending' }])
  })

  it('gets 401 and no result also if the job ends at the same moment', async () => {
    const { token, tokenId } = await makeToken(ada)
    const waiting = upload(ada, {}, 'wait=60', bearer(token))
    await expect.poll(countJobs).toBe(1)
    await revoke(tokenId)
    await endAll()
    const answer = await waiting
    expect(answer).toMatchObject(refusal)
    expect(JSON.stringify(answer.body)).not.toContain('completed')
  })
})
