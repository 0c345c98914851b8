import { backoffSeconds } from '@/lib/jobs/lifecycle/verdict'
import { explainWaits } from '@/lib/jobs/state/explain'
import { adoptHolds } from '@/lib/jobs/state/hold'
import { logger } from '@/lib/logger'
import {
  type SlurmClient,
  type SlurmJobState,
  SlurmRefusal,
  SlurmUnavailable,
} from '@/lib/slurm/client/slurm-client'
import {
  endSlurmJob,
  findEndedRows,
  type LiveSlurmJob,
  readLiveSlurmJobs,
  recordHeld,
  recordNice,
  storeFacts,
} from '@/lib/slurm/jobs/live-jobs'
import { countFailedStarts } from '@/lib/slurm/jobs/place-steps'
import { setStopReason } from '@/lib/slurm/jobs/stop-reasons'
import { recordSlurmId } from '@/lib/slurm/jobs/submissions'
import type { EnterStep } from '../scheduler/watch-pass'
import { compareJob, compareMissingJob, type Decision, isSlurmFinal } from './compare-jobs'
import { rowOfComment } from './submit-jobs'

/** Starts of a job whose script reached no worker, before the job fails. */
const maxFailedStarts = 3

/**
 * Reads the state of all jobs from Slurm once, and brings the database and Slurm in line. No submission may be under way.
 * @returns the jobs of others that have not ended.
 * @throws if Slurm does not answer.
 */
export async function pollJobs(
  client: SlurmClient,
  asOwner: boolean,
  enter: EnterStep,
): Promise<SlurmJobState[]> {
  enter('read the rows of Slurm jobs')
  // Before the question, so that every job of these rows was submitted before it, or never will be.
  const rows = await readLiveSlurmJobs()
  enter('list the jobs of Slurm')
  const states = await client.listJobs()
  const seen = matchJobs(rows, states)
  const missing = rows.filter(({ id }) => !seen.has(id))
  enter('ask the accounting of Slurm')
  const ended = await findEnded(client, missing)
  const decisions = rows.flatMap((row) => {
    const state = seen.get(row.id)
    if (state) return compareJob(row, state)
    return ended === null && row.slurmId !== null ? [] : compareMissingJob(row, ended?.get(row.id) ?? null)
  })
  enter('store the state of Slurm jobs')
  await store(decisions)
  const unwanted = await findUnwanted(rows, states, seen)
  const cancelled = decisions.flatMap(({ cancel, row }) => (cancel ? (seen.get(row.id) ?? []) : []))
  enter('cancel Slurm jobs')
  await cancelJobs(client, [...cancelled, ...unwanted], asOwner)
  enter('change priorities and holds in Slurm')
  for (const { row, nice, hold } of decisions) {
    const account = asOwner ? row.owner : null
    if (nice !== null) await changeNice(client, row, nice, account)
    if (hold !== null) await changeHold(client, row, hold, account)
  }
  return states.filter((state) => rowOfComment(state.comment) === null && !isSlurmFinal(state))
}

/** Finds the job of each row by its comment: Slurm may give an id twice after it lost its state. */
function matchJobs(
  rows: readonly LiveSlurmJob[],
  states: readonly SlurmJobState[],
): Map<string, SlurmJobState> {
  const byRow = new Map(rows.map((row) => [row.id, row]))
  const found = new Map<string, SlurmJobState>()
  for (const state of states) {
    const id = rowOfComment(state.comment)
    const row = id === null ? undefined : byRow.get(id)
    if (!row || (row.slurmId !== null && row.slurmId !== state.id)) continue
    const other = found.get(row.id)
    // The earlier one, if a submission without an answer was carried out twice.
    if (!other || state.id < other.id) found.set(row.id, state)
  }
  return found
}

/**
 * Asks the accounting about all jobs that the controller no longer knows. It may not have comments, but has names.
 * @returns null while the accounting does not answer: nothing is decided about these jobs, and the others go on.
 */
async function findEnded(
  client: SlurmClient,
  missing: readonly LiveSlurmJob[],
): Promise<Map<string, SlurmJobState> | null> {
  const asked = missing.filter(({ slurmId }) => slurmId !== null)
  if (asked.length === 0) return new Map()
  let states: SlurmJobState[]
  try {
    states = await client.findEnded(asked.flatMap(({ slurmId }) => slurmId ?? []))
  } catch (error) {
    if (!(error instanceof SlurmUnavailable)) throw error
    logger.warn({ err: error, jobs: asked.length }, 'the accounting of Slurm does not answer, retrying')
    return null
  }
  const found = new Map<string, SlurmJobState>()
  for (const row of asked) {
    const state = states.findLast(({ id, name }) => id === row.slurmId && name === `gpuq-${row.jobId}`)
    if (state) found.set(row.id, state)
  }
  return found
}

/** Slurm jobs that gpuq submitted and no longer wants: their rows have ended, or have another Slurm job. */
async function findUnwanted(
  rows: readonly LiveSlurmJob[],
  states: readonly SlurmJobState[],
  seen: ReadonlyMap<string, SlurmJobState>,
): Promise<SlurmJobState[]> {
  const live = new Set(rows.map(({ id }) => id))
  const ours = states.flatMap((state) => {
    const rowId = rowOfComment(state.comment)
    return rowId === null || isSlurmFinal(state) ? [] : [{ state, rowId }]
  })
  // A row that a new leader made after they were read is neither live here nor ended.
  const ended = await findEndedRows(ours.flatMap(({ rowId }) => (live.has(rowId) ? [] : [rowId])))
  return ours.flatMap(({ state, rowId }) =>
    ended.has(rowId) || (live.has(rowId) && seen.get(rowId)?.id !== state.id) ? [state] : [],
  )
}

/** Cancels jobs with one call for each account. A failure for one account does not keep the others. */
async function cancelJobs(
  client: SlurmClient,
  jobs: readonly SlurmJobState[],
  asOwner: boolean,
): Promise<void> {
  const byUser = new Map<string | null, number[]>()
  for (const { id, user, state } of jobs) {
    if (state === 'COMPLETING') continue
    const account = asOwner ? user : null
    byUser.set(account, [...(byUser.get(account) ?? []), id])
  }
  for (const [account, ids] of byUser) {
    try {
      await client.cancel(ids, account)
    } catch (error) {
      if (!(error instanceof SlurmRefusal)) throw error
      logger.error({ jobs: ids }, `Slurm did not cancel jobs that gpuq no longer wants: ${error.message}`)
    }
  }
}

async function store(decisions: readonly Decision[]): Promise<void> {
  for (const { row, foundId } of decisions) if (foundId !== null) await recordSlurmId(row.id, foundId)
  // Before the facts: a hold that is stored as seen, but not adopted, would look like a release in gpuq.
  await adoptHolds(
    decisions.flatMap(({ row, adoptHold }) =>
      adoptHold === null ? [] : [{ jobId: row.jobId, held: adoptHold }],
    ),
  )
  await storeFacts(decisions.flatMap(({ row, facts }) => (facts ? [{ id: row.id, ...facts }] : [])))
  for (const decision of decisions) {
    // A job that cannot be ended must not keep the others from it.
    await applyEnd(decision).catch((error: unknown) =>
      logger.error(
        { err: error, job: decision.row.jobId },
        'could not store the end of a Slurm job, retrying',
      ),
    )
  }
  const waits = decisions.flatMap(({ wait }) => wait ?? [])
  for (const { jobId, reason, detail } of waits)
    if (reason === 'slurm_starting') logger.info({ job: jobId }, `a job waits for a worker: ${detail}`)
  await explainWaits(waits)
}

async function applyEnd({ row, stop, end }: Decision): Promise<void> {
  if (stop !== null && row.attempt !== null) await setStopReason(row.id, row.attempt, stop)
  if (end) await endRow(row, end)
}

async function endRow(
  row: LiveSlurmJob,
  { state, verdict, failedStart }: NonNullable<Decision['end']>,
): Promise<void> {
  if (!failedStart) return endSlurmJob(row, state, verdict)
  const failed = 1 + (await countFailedStarts(row.jobId))
  const detail =
    'Its Slurm job ended before a worker of gpuq accepted it. Start a worker on every node of the partition, with GPUQ_NODE_NAME set to the NodeName in Slurm.'
  if (failed < maxFailedStarts)
    await endSlurmJob(row, state, null, { reason: 'backing_off', detail, waitS: backoffSeconds(failed) })
  else await endSlurmJob(row, state, { reason: 'internal_error', detail, exitCode: null })
}

async function changeNice(
  client: SlurmClient,
  row: LiveSlurmJob,
  nice: number,
  account: string | null,
): Promise<void> {
  if (row.slurmId === null) return
  try {
    await client.setNice(row.slurmId, nice, account)
  } catch (error) {
    // It has started, or an admin does not allow it.
    if (!(error instanceof SlurmRefusal)) throw error
    logger.warn({ job: row.jobId }, `Slurm did not change the priority of a job: ${error.message}`)
  }
  await recordNice(row.id, nice)
}

async function changeHold(
  client: SlurmClient,
  row: LiveSlurmJob,
  held: boolean,
  account: string | null,
): Promise<void> {
  if (row.slurmId === null) return
  try {
    await client.setHeld([row.slurmId], held, account)
    await recordHeld(row.id, held)
  } catch (error) {
    // An admin of Slurm holds it.
    if (!(error instanceof SlurmRefusal)) throw error
    logger.warn({ job: row.jobId }, `Slurm did not ${held ? 'hold' : 'release'} a job: ${error.message}`)
    await adoptHolds([{ jobId: row.jobId, held: row.held }])
  }
}
