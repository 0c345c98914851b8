import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../../access/actor'
import { makeJob, makeUser } from '../../cluster/testing/rows'
import { parseConfig } from '../../contract/config/config'
import { testDatabase } from '../../database/testing/test-database'
import { setFreeBytes } from '../../storage/free-space'
import { accept } from './accept'
import type { Submission } from './insert-job'

const db = testDatabase()

beforeEach(async () => {
  await removeJobs()
  await db.pool.query('UPDATE policies SET max_queue_size = 1000')
})

/** With the numbers of waiting jobs, which TRUNCATE does not change. */
async function removeJobs(): Promise<void> {
  await db.pool.query('TRUNCATE jobs, active_job_changes CASCADE')
}

/** An admin has no limits of submissions. The first job creates the environment and the project. */
async function admin(): Promise<Actor> {
  await makeJob()
  const handle = `user-${uuidv7().slice(-12)}`
  const limits = { submissionsPerMinute: null, maxActiveJobs: null }
  const actor: Actor = {
    userId: await makeUser(handle),
    handle,
    role: 'admin',
    scopes: ['submit', 'read'],
    via: 'token',
    tokenId: null,
    sessionId: null,
    restriction: null,
    limits,
  }
  await accept(actor, submission())
  await removeJobs()
  return actor
}

function submission(extra = '', code = 'print(1)'): Submission {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 10\n${extra}`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const bytes = Buffer.from(code)
  const bodyHash = createHash('sha256').update(bytes).digest()
  return { code: bytes, runId: null, config: parsed.config, bodyHash, idempotencyKey: null }
}

interface Stored {
  id: string
  name: string
  code: Buffer
  tags: string[]
  spec: { tags: string[] }
  priority: number
}

/** The jobs, and the number of transactions that inserted them. */
async function readStored(): Promise<{ jobs: Map<string, Stored>; transactions: number }> {
  const { rows } = await db.pool.query<Stored & { xmin: string }>(
    `SELECT j.id, name, content AS code, tags, spec, priority, j.xmin::text FROM jobs j JOIN programs ON hash = program_hash`,
  )
  return {
    jobs: new Map(rows.map((row) => [row.id, row])),
    transactions: new Set(rows.map(({ xmin }) => xmin)).size,
  }
}

describe('submissions that arrive together', () => {
  it('are all stored with their own content, in a few transactions', async () => {
    const actor = await admin()
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        accept(
          actor,
          submission(`name: job-${i}\npriority: ${i}\ntags: ["a, \\"b\\"", "t${i}"]`, `print(${i})\n'"\\{}`),
        ),
      ),
    )
    const { jobs, transactions } = await readStored()
    expect(jobs.size).toBe(100)
    expect(transactions).toBeLessThan(10)
    for (const [i, { jobId }] of all.entries()) {
      expect(jobs.get(jobId)).toMatchObject({
        name: `job-${i}`,
        priority: i,
        tags: ['a, "b"', `t${i}`],
        spec: { tags: ['a, "b"', `t${i}`] },
        code: Buffer.from(`print(${i})\n'"\\{}`),
      })
    }
  })

  it('are accepted or refused each for itself, whoever sends them', async () => {
    const [actor, other] = [await admin(), await admin()]
    await db.pool.query('UPDATE users SET storage_quota_gib = 0.000000001 WHERE id = $1', [other.userId])
    const limited: Actor = { ...actor, limits: { submissionsPerMinute: 1, maxActiveJobs: null } }
    const outcomes = await Promise.allSettled([
      accept(actor, submission('name: first')),
      accept(actor, submission('environment: nowhere')),
      accept(other, submission('name: too-much')),
      accept(actor, submission('name: second')),
      accept(limited, submission('name: limited')),
      accept(actor, submission('name: one\nrun_name: run')),
      accept(actor, submission('name: another\nrun_name: run')),
      accept(actor, { ...submission('name: keyed'), idempotencyKey: 'key' }),
      accept(actor, { ...submission('name: keyed'), idempotencyKey: 'key' }),
      accept(actor, submission('name: last')),
    ])
    const statuses = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 'accepted' : outcome.reason.code,
    )
    expect(statuses.slice(0, 4)).toEqual(['accepted', 'invalid_fields', 'quota_exceeded', 'accepted'])
    expect(statuses.slice(5, 7).toSorted()).toEqual(['accepted', 'conflict'])
    expect(statuses.slice(7)).toEqual(['accepted', 'accepted', 'accepted'])
    const names = [...(await readStored()).jobs.values()].map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['first', 'second', 'keyed', 'last']))
    expect(names).not.toContain('too-much')
    expect(names.filter((name) => name === 'keyed')).toHaveLength(1)
  })

  it('fill the queue exactly to its limit', async () => {
    const actor = await admin()
    await db.pool.query('UPDATE policies SET max_queue_size = 7')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, i) => accept(actor, submission(i % 3 === 0 ? `run_name: r${i}` : ''))),
    )
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(refused).toEqual(Array(33).fill('rate_limited'))
    expect((await readStored()).jobs.size).toBe(7)
  })

  it('are decided alone if the database refuses their transaction', async () => {
    const actor = await admin()
    await db.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.name = 'bad' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION refuse()`)
    try {
      const outcomes = await Promise.allSettled(
        ['good', 'bad', 'fine', 'bad', 'great'].map((name) => accept(actor, submission(`name: ${name}`))),
      )
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      const names = [...(await readStored()).jobs.values()].map(({ name }) => name)
      expect(names.toSorted()).toEqual(['fine', 'good', 'great'])
    } finally {
      await db.pool.query('DROP TRIGGER refuse ON jobs; DROP FUNCTION refuse')
    }
  })

  it('are all refused on a full disk', async () => {
    const actor = await admin()
    setFreeBytes(async () => 0)
    try {
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => accept(actor, submission())))
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'insufficient_storage' } })
      expect((await readStored()).jobs.size).toBe(0)
    } finally {
      setFreeBytes(null)
    }
  })

  it('are not repeated if it is unknown whether they were committed', async () => {
    const actor = await admin()
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`
    await db.pool.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON jobs DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait()`)
    try {
      // Waits in its commit.
      const submitted = accept(actor, submission())
      const outcome = expect(submitted).rejects.toMatchObject({ code: '57P01' })
      let killed = 0
      while (killed === 0) killed = (await db.pool.query(`${kill} AND query = 'COMMIT'`)).rowCount ?? 0
      await outcome
      expect((await readStored()).jobs.size).toBe(0)
    } finally {
      await db.pool.query('DROP TRIGGER wait ON jobs; DROP FUNCTION wait')
    }
  })
})
