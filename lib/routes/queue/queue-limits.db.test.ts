import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Answer } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { readPolicy, updatePolicy } from '../../cluster/admin/policy'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { cancel, idOf, submit, submitted } from '../testing/queue-client'
import { upload } from '../testing/upload'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let admin = {} as Person
beforeAll(async () => {
  admin = await makePerson('admin')
  await makeJob()
})
beforeEach(async () => {
  await db.pool.query('DELETE FROM jobs')
  await updatePolicy(admin.actor, { max_queue_size: 100 })
})

async function unlimited(): Promise<Person> {
  const person = await makePerson()
  await db.pool.query(
    'UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000 WHERE id = $1',
    [person.id],
  )
  return person
}

async function waiting(): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    "SELECT count(*) FROM jobs WHERE status = 'pending'",
  )
  return rows[0]?.count ?? 0
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted()
const many = (count: number, send: (n: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, n) => send(n)))

describe('the size of the queue', () => {
  it('limits fifty concurrent submissions of many users', async () => {
    await updatePolicy(admin.actor, { max_queue_size: 7 })
    const people = await Promise.all([unlimited(), unlimited(), unlimited()])
    const answers = await many(50, (n) => submit({ command: 'true' }, people[n % 3] ?? admin))
    expect(statuses(answers)).toEqual([...Array(7).fill(201), ...Array(43).fill(429)])
    expect(await waiting()).toBe(7)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(refused?.body).toMatchObject({
      detail: expect.stringMatching(/queue is full: 7 or more jobs wait/),
    })
  })

  it('applies to admins and to uploads, and frees a place when a job ends', async () => {
    await updatePolicy(admin.actor, { max_queue_size: 2 })
    const { status } = await upload(admin)
    expect(status).toBe(202)
    const id = await submitted({}, admin)
    expect(await submit({ command: 'true', user: 'not-made' }, admin)).toMatchObject({ status: 429 })
    const { rows } = await db.pool.query("SELECT 1 FROM users WHERE handle = 'not-made'")
    expect(rows).toEqual([])
    await cancel(id, admin)
    expect(await submit({ command: 'true' }, admin)).toMatchObject({ status: 201 })
    for (const person of [admin, await unlimited()]) {
      const refused = await upload(person)
      expect(refused).toMatchObject({
        status: 429,
        body: {
          detail: expect.stringMatching(
            /2 or more jobs wait, .*max_queue_size of the policy.*admin can raise/,
          ),
        },
      })
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    }
    expect(await waiting()).toBe(2)
  })

  it('is exact for concurrent uploads and commands, near the limit and far from it', async () => {
    await updatePolicy(admin.actor, { max_queue_size: 520 })
    const { rows } = await db.pool.query<{ connections: number }>(
      "SELECT current_setting('max_connections')::int AS connections",
    )
    // Below this number of places, each submission holds the lock alone.
    expect(rows[0]?.connections).toBe(500)
    const people = [await unlimited(), admin]
    const answers = await many(60, (n) => {
      const person = people[n % 2] ?? admin
      return n % 3 ? upload(person) : submit({ command: 'true' }, person)
    })
    expect(new Set(statuses(answers))).toEqual(new Set([201, 202]))
    await updatePolicy(admin.actor, { max_queue_size: 70 })
    await many(40, (n) => (n % 2 ? upload(admin) : submit({ command: 'true' }, admin)))
    expect(await waiting()).toBe(70)
  })

  it('can be zero', async () => {
    await updatePolicy(admin.actor, { max_queue_size: 0 })
    expect(await submit({ command: 'true' }, admin)).toMatchObject({
      status: 429,
      body: { detail: expect.stringContaining('no jobs') },
    })
    expect((await readPolicy()).max_queue_size).toBe(0)
  })

  it('answers a repeated key with its job, even if the queue is full', async () => {
    const keyed = { ...admin, headers: { 'idempotency-key': 'once' } }
    const id = idOf(await submit({ command: 'true' }, keyed))
    await updatePolicy(admin.actor, { max_queue_size: 1 })
    const again = await submit({ command: 'true' }, keyed)
    expect(again).toMatchObject({ status: 200, body: { job_id: id, status: 'queued' } })
  })
})

describe("a user's limits", () => {
  it('apply as for uploads: of fifty concurrent submissions, one is active', async () => {
    const ada = await makePerson()
    const answers = await many(50, () => submit({ command: 'true' }, ada))
    expect(statuses(answers)).toEqual([201, ...Array(49).fill(429)])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body).toMatchObject({ detail: expect.stringContaining('1 active job') })
  })

  it('apply per minute, and the answer has the rest', async () => {
    const ada = await makePerson()
    await db.pool.query('UPDATE users SET max_active_jobs = 1000 WHERE id = $1', [ada.id])
    const first = await submit({ command: 'true' }, ada)
    expect(first.headers.get('ratelimit-remaining')).toBe('4')
    const answers = await many(20, () => submit({ command: 'true' }, ada))
    expect(statuses(answers)).toEqual([...Array(4).fill(201), ...Array(16).fill(429)])
  })

  it('do not apply to an admin, who may submit for any user', async () => {
    const ada = await makePerson()
    const answers = await many(20, () => submit({ command: 'true', user: ada.handle }, admin))
    expect(statuses(answers)).toEqual(Array(20).fill(201))
    expect(await submit({ command: 'true' }, ada)).toMatchObject({ status: 429 })
  })

  it('cause no deadlock if two admins submit for each other at once', async () => {
    const other = await makePerson('admin')
    const answers = await many(40, (n) =>
      n % 2
        ? submit({ command: 'true', user: other.handle }, admin)
        : submit({ command: 'true', user: admin.handle }, other),
    )
    expect(statuses(answers)).toEqual(Array(40).fill(201))
  })
})
