import { beforeEach, expect, it } from 'vitest'
import { makeJob } from '../../cluster/testing/rows'
import { isFinal, type JobStatus, jobStatuses, jobTransitions } from '../../contract/status'
import { testDatabase } from '../../database/testing/test-database'
import { type Transaction, transaction } from '../../database/transaction'
import { cancelUnclaimed, requestStop } from './cancel'
import { markFilesDeleted } from './delete'
import { explainRunSql, explainUnsubmitted, explainWaits } from './explain'
import { finishAttempt, finishWaiting } from './finish'
import { adoptHolds, holdForDependencies, holdJob, updateDependents } from './hold'
import { pauseAttempt, resumeJobs } from './pause'
import { placeJob, placeStartedJob, reserveSubnet } from './place'
import { backOff, requeueJob } from './requeue'
import { startJobSql } from './start'
import { findStateWrites } from './testing/state-writes'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs CASCADE')
})

const failed = { reason: 'internal_error', detail: null, exitCode: null } as const
const finished = { reason: 'finished', detail: null, exitCode: 0 } as const
const wait = { reason: 'backing_off', detail: 'It failed.', waitS: 1 } as const
const withTask = (jobId: string, attempt: number, update: string) => ({
  text: `WITH task AS (SELECT $1::uuid AS job_id, $2::int AS attempt, now() AS started_at) ${update}`,
  values: [jobId, attempt],
})

/** Each verb for a job in its attempt, and the statuses in which it changes the job. */
const verbs: Record<
  string,
  {
    from: readonly JobStatus[]
    /** Why the job is where it is. */
    reason?: string
    apply: (tx: Transaction, jobId: string, attempt: number) => unknown
  }
> = {
  'place a planned job': {
    from: ['pending'],
    apply: (tx, jobId, attempt) => placeJob(tx, { jobId, attempt: attempt + 1 }, 'id'),
  },
  'place a job that Slurm started': { from: ['pending'], apply: placeStartedJob },
  'reserve a subnet': {
    from: ['scheduled'],
    apply: (tx, jobId, attempt) => reserveSubnet(tx, { jobId, attempt }),
  },
  start: {
    from: ['scheduled', 'running'],
    apply: (tx, jobId, attempt) => tx.query(withTask(jobId, attempt, startJobSql("'digest'"))),
  },
  'finish an attempt': {
    from: ['scheduled', 'running'],
    apply: (tx, jobId, attempt) => finishAttempt(tx, { jobId, attempt }, finished),
  },
  'finish a job that waits': {
    from: ['pending'],
    apply: (tx, jobId) => finishWaiting(tx, jobId, failed),
  },
  requeue: {
    from: ['scheduled', 'running'],
    apply: (tx, jobId, attempt) => requeueJob(tx, { jobId, attempt }, wait),
  },
  'back off': { from: ['pending'], apply: (tx, jobId) => backOff(tx, jobId, wait) },
  'cancel an unclaimed job': {
    from: ['pending', 'scheduled'],
    apply: (tx, jobId, attempt) => cancelUnclaimed(tx, { jobId, attempt }, 'cancelled_by_user'),
  },
  'request a stop': {
    from: ['scheduled', 'running'],
    apply: (tx, jobId, attempt) => requestStop(tx, { jobId, attempt }, 'cancelled_by_user'),
  },
  hold: { from: ['pending'], apply: (tx, jobId) => holdJob(tx, jobId, true, null) },
  'adopt a hold': { from: ['pending'], apply: (_, jobId) => adoptHolds([{ jobId, held: true }]) },
  'hold for dependencies': {
    from: ['pending'],
    apply: (tx, jobId) => holdForDependencies(tx, jobId, 'It waits.'),
  },
  'update dependents': {
    from: ['pending'],
    apply: (tx, jobId) => updateDependents(tx, [{ jobId, sentence: 'It waits.' }]),
  },
  'pause an attempt': {
    from: ['scheduled', 'running'],
    apply: (tx, jobId, attempt) => pauseAttempt(tx, { jobId, attempt }),
  },
  'resume a job': {
    from: ['pending'],
    reason: 'group_paused',
    apply: (tx, jobId) => resumeJobs(tx, [jobId]),
  },
  'explain a wait': {
    from: ['pending'],
    apply: (_, jobId) => explainWaits([{ jobId, reason: 'quota', detail: null }]),
  },
  'explain why it is not in Slurm': { from: ['pending'], apply: () => explainUnsubmitted('stopped') },
  'explain a pause': {
    from: ['scheduled', 'running'],
    apply: (tx, jobId, attempt) => tx.query(withTask(jobId, attempt, explainRunSql("'slurm_suspended'"))),
  },
  'delete its files': {
    from: ['completed', 'failed', 'cancelled'],
    apply: (tx, jobId) => markFilesDeleted(tx, jobId, null),
  },
}

const attempt = 2

async function makeJobIn(status: JobStatus, reason = 'dependency'): Promise<string> {
  const id = await makeJob()
  const ended = isFinal(status)
  await db.pool.query(
    `UPDATE jobs SET status = $2, attempt = $3, reason = $5, ended_at = CASE WHEN $4 THEN now() END,
                     exit_code = CASE WHEN $4 THEN 0 END, result_stored = $4 WHERE id = $1`,
    [id, status, attempt, ended, reason],
  )
  return id
}

async function readRow(id: string): Promise<{ status: JobStatus }> {
  const { rows } = await db.pool.query('SELECT * FROM jobs WHERE id = $1', [id])
  return rows[0]
}

it.each(Object.entries(verbs))(
  'the verb “%s” changes a job only in the statuses from which it may',
  async (_, verb) => {
    for (const status of jobStatuses) {
      const id = await makeJobIn(status, verb.reason)
      const before = await readRow(id)
      await transaction(async (tx) => verb.apply(tx, id, attempt))
      const after = await readRow(id)
      if (!verb.from.includes(status)) expect(after, status).toEqual(before)
      else {
        expect(after, status).not.toEqual(before)
        if (after.status !== status) expect(jobTransitions[status], status).toContain(after.status)
      }
    }
  },
)

const ofAttempt = [
  'place a planned job',
  'reserve a subnet',
  'start',
  'finish an attempt',
  'requeue',
  'pause an attempt',
]
it.each([...ofAttempt, 'cancel an unclaimed job', 'request a stop', 'explain a pause'])(
  'the verb “%s” changes no job that is in another attempt',
  async (name) => {
    const verb = verbs[name]
    for (const status of verb?.from ?? []) {
      const id = await makeJobIn(status)
      const before = await readRow(id)
      await transaction(async (tx) => verb?.apply(tx, id, attempt - 1))
      expect(await readRow(id)).toEqual(before)
    }
  },
)

it('a job that backs off while it is held keeps the reason of the hold', async () => {
  const id = await makeJobIn('pending')
  await transaction(async (tx) => {
    await holdJob(tx, id, true, null)
    await backOff(tx, id, wait)
  })
  expect(await readRow(id)).toMatchObject({
    reason: 'held',
    reason_detail: null,
    not_before: expect.any(Date),
  })
})

it('no function or trigger of the database writes the state of a job', async () => {
  const { rows } = await db.pool.query<{ name: string; text: string }>(
    `SELECT proname AS name, prosrc AS text FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  )
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(({ text }) => findStateWrites(text).length > 0)).toEqual([])
})
