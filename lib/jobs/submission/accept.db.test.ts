import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { describe, expect, it } from 'vitest'
import type { Actor } from '../../access/actor'
import { commitPlacement } from '../../cluster/placement/place'
import { takeSnapshot } from '../../cluster/placement/snapshot'
import { finishTask } from '../../cluster/tasks/finish-task'
import { claimTasks, markRunning } from '../../cluster/tasks/tasks'
import { jobState, makeJob, makeNode, makeUser, readBooks } from '../../cluster/testing/rows'
import { tasksToStop } from '../../cluster/testing/tasks-to-stop'
import { parseConfig } from '../../contract/config/config'
import { jobFiltersSchema } from '../../contract/job-queries'
import { testDatabase } from '../../database/testing/test-database'
import { ownReader } from '../../results/reading/output-reader'
import { plan } from '../../scheduling/plan'
import { cancelJob } from '../lifecycle/cancel'
import { waitUntilFinal } from '../live/wait'
import { listJobs } from '../read/list'
import { readJob, readSource } from '../read/read'
import { sendResult } from '../read/result'
import { accept } from './accept'
import type { Submission } from './insert-job'

const db = testDatabase()

async function researcher(changes: Partial<Actor> = {}): Promise<Actor> {
  const handle = `user-${uuidv7().slice(-12)}`
  return {
    userId: await makeUser(handle),
    handle,
    role: 'researcher',
    scopes: ['submit', 'read'],
    via: 'token',
    tokenId: null,
    sessionId: null,
    restriction: null,
    limits: { submissionsPerMinute: null, maxActiveJobs: null },
    ...changes,
  }
}

const unlimited = { limits: { submissionsPerMinute: 100_000, maxActiveJobs: 100_000 } }

function submission(changes: Partial<Submission> = {}, extra = ''): Submission {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 10\n${extra}`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const code = Buffer.from('print(1)')
  return {
    code,
    runId: null,
    config: parsed.config,
    bodyHash: createHash('sha256').update(code).digest(),
    idempotencyKey: null,
    ...changes,
  }
}

async function place(): Promise<void> {
  const { snapshot } = await takeSnapshot()
  for (const placement of plan(snapshot).placements) await commitPlacement(placement)
}

describe('submitting', () => {
  // The first job creates the environment.
  it('admits one of fifty concurrent submissions under a limit of one active job', async () => {
    await makeJob()
    const actor = await researcher()
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => accept(actor, submission())))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({
          code: 'rate_limited',
          headers: { 'retry-after': expect.any(String) },
        })
      }
    }
    expect((await listJobs(actor, jobFiltersSchema.parse({}))).items).toHaveLength(1)
  })

  it('admits five of two hundred submissions in a minute, and returns the remaining number', async () => {
    const actor = await researcher({ limits: { submissionsPerMinute: null, maxActiveJobs: 1000 } })
    const first = await accept(actor, submission())
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '4' })
    const rest = await Promise.allSettled(Array.from({ length: 199 }, () => accept(actor, submission())))
    expect(rest.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  })

  it('does not count a job that was cancelled while it waited', async () => {
    const actor = await researcher()
    for (let i = 0; i < 8; i++) {
      const { jobId } = await accept(actor, submission())
      await cancelJob(actor, jobId)
      expect(await jobState(jobId)).toMatchObject({ status: 'cancelled', cancelled_while_waiting: true })
    }
  })

  it('admits twenty jobs in a minute that are cancelled while they wait, and then says when to try again', async () => {
    const actor = await researcher()
    for (let i = 0; i < 20; i++) await cancelJob(actor, (await accept(actor, submission())).jobId)
    await expect(accept(actor, submission())).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(
        /then cancelled 20 waiting jobs .* limit is 20\. Try again in \d+ seconds/,
      ),
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    })
    await db.pool.query("UPDATE jobs SET created_at = now() - interval '61 s' WHERE user_id = $1", [
      actor.userId,
    ])
    await accept(actor, submission())
  })

  it('returns the same job for the same key, also concurrently, and refuses another body', async () => {
    const actor = await researcher(unlimited)
    const keyed = submission({ idempotencyKey: 'once' })
    const all = await Promise.all(Array.from({ length: 20 }, () => accept(actor, keyed)))
    expect(new Set(all.map(({ jobId }) => jobId)).size).toBe(1)
    expect(all.filter(({ repeated }) => !repeated)).toHaveLength(1)
    const other = submission({
      idempotencyKey: 'once',
      bodyHash: createHash('sha256').update('other').digest(),
    })
    await expect(accept(actor, other)).rejects.toMatchObject({ code: 'invalid_fields' })
    const otherUser = await researcher(unlimited)
    expect((await accept(otherUser, keyed)).repeated).toBe(false)
  })

  it('creates one project for many concurrent first submissions, with and without limits', async () => {
    for (const limits of [unlimited, { role: 'admin' as const }]) {
      const actor = await researcher(limits)
      const all = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          accept(actor, submission({ idempotencyKey: i % 2 ? `key-${i}` : null })),
        ),
      )
      expect(new Set(all.map(({ jobId }) => jobId)).size).toBe(40)
      const { rows } = await db.pool.query(
        'SELECT count(*)::int AS projects FROM projects WHERE owner_id = $1',
        [actor.userId],
      )
      expect(rows[0]).toEqual({ projects: 1 })
    }
  })

  it('stores nothing if it refuses the job', async () => {
    const actor = await researcher({ limits: { submissionsPerMinute: 0, maxActiveJobs: null } })
    await expect(accept(actor, submission())).rejects.toMatchObject({ code: 'rate_limited' })
    await expect(accept(actor, submission({}, 'environment: nowhere'))).rejects.toMatchObject({
      errors: [{ path: 'environment', message: expect.stringContaining('python') }],
    })
    const { rows } = await db.pool.query(
      'SELECT (SELECT count(*) FROM projects WHERE owner_id = $1)::int AS projects, (SELECT count(*) FROM jobs WHERE user_id = $1)::int AS jobs',
      [actor.userId],
    )
    expect(rows[0]).toEqual({ projects: 0, jobs: 0 })
  })
})

describe('another user', () => {
  it('cannot reach a job by its id, in any way', async () => {
    const owner = await researcher(unlimited)
    const otherUser = await researcher()
    const { jobId } = await accept(owner, submission())
    for (const attempt of [
      () => readJob(otherUser, jobId),
      () => readSource(otherUser, jobId),
      () => cancelJob(otherUser, jobId),
      () => readJob(otherUser, uuidv7()),
      () => readJob(otherUser, 'not-an-id'),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
    }
    const other = jobFiltersSchema.parse({ user_id: owner.handle })
    await expect(listJobs(otherUser, other)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(listJobs(otherUser, jobFiltersSchema.parse({ all: 'true' }))).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect((await readJob(owner, jobId)).status).toBe('pending')
  })
})

describe('the list', () => {
  it('returns each job once, the latest first, and filters', async () => {
    const actor = await researcher(unlimited)
    const ids: string[] = []
    for (let i = 0; i < 7; i++)
      ids.push((await accept(actor, submission({}, i % 2 ? 'name: odd' : ''))).jobId)
    await cancelJob(actor, ids[0] ?? '')
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await listJobs(actor, jobFiltersSchema.parse({ limit: '3', cursor }))
      seen.push(...page.items.map(({ job_id }) => job_id))
      if (page.next === null) break
      cursor = page.next
    }
    expect(seen).toEqual([...ids].reverse())
    const statuses = async (status: string) =>
      (await listJobs(actor, jobFiltersSchema.parse({ status }))).items.map(({ job_id }) => job_id)
    expect(await statuses('cancelled')).toEqual([ids[0]])
    expect(await statuses('pending')).toHaveLength(6)
    expect((await listJobs(actor, jobFiltersSchema.parse({ project_id: 'other' }))).items).toEqual([])
  })
})

describe('cancelling', () => {
  it('ends a placed job before a worker claims it, and frees its GPU', async () => {
    await db.pool.query('TRUNCATE jobs CASCADE')
    await makeNode()
    const actor = await researcher()
    const { jobId } = await accept(actor, submission())
    await place()
    expect((await jobState(jobId)).status).toBe('scheduled')
    await cancelJob(actor, jobId)
    expect(await jobState(jobId)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
    const books = await readBooks()
    expect(books).toEqual({ gpus: 0, allocations: 0 })
  })

  it('notifies the node of a running job, keeps the final status correct, and can be repeated', async () => {
    await db.pool.query('TRUNCATE jobs, nodes CASCADE')
    const lease = await makeNode()
    const actor = await researcher()
    const { jobId } = await accept(actor, submission())
    await place()
    const [task] = await claimTasks(lease)
    if (!task) throw new Error('nothing claimed')
    await markRunning(lease, task, 'x')
    await cancelJob(actor, jobId)
    await cancelJob(actor, jobId)
    expect((await readJob(actor, jobId)).cancel_requested).toBe(true)
    expect(await tasksToStop(lease)).toEqual([{ id: task.id, reason: 'cancelled_by_user' }])
    const waiting = waitUntilFinal(jobId, new AbortController().signal)
    await finishTask(lease, task, { reason: 'cancelled_by_user', detail: null, exitCode: 143 })
    expect(await waiting).toBe(true)
    const answer = await sendResult(ownReader('test'), jobId, async () => true)
    expect(await answer.json()).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_by_user',
      exit_code: 143,
    })
    await cancelJob(actor, jobId)
  })

  it('is refused for a job that ended in another way', async () => {
    await db.pool.query('TRUNCATE jobs, nodes CASCADE')
    const lease = await makeNode()
    const actor = await researcher()
    const { jobId } = await accept(actor, submission())
    await place()
    const [task] = await claimTasks(lease)
    if (!task) throw new Error('nothing claimed')
    await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
    await expect(cancelJob(actor, jobId)).rejects.toMatchObject({ code: 'conflict' })
  })
})
