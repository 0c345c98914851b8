import type { Actor } from '../../access/actor'
import { cachedCredentialCheck, isCredentialValid } from '../../access/credential-validity'
import { ChangeSignal } from '../../async/change-signal'
import { takeSlot } from '../../async/concurrency-limit'
import { type GpuqError, rateLimited, unauthenticated } from '../../contract/errors'
import { isFinal, type JobStatus } from '../../contract/status'
import { isDatabaseAway } from '../../database/away'
import { database } from '../../database/client'
import { listener } from '../../database/listen'
import { findRow } from '../../database/transaction'
import { env } from '../../env'
import { findResultFile } from '../../results/reading/read-output'

/** Interval of polling, in case a notification was lost. */
export const pollIntervalMs = 2_000

/** Calls `onChange` for each notification of the job. Resolves once it listens. Returns the function that stops it. */
export function watchJob(
  jobId: string,
  onChange: () => void,
  channel: 'job' | 'output' = 'job',
): Promise<() => void> {
  return watchJobs(new Set([jobId]), onChange, channel)
}

/** The same for several jobs. */
export function watchJobs(
  ids: ReadonlySet<string>,
  onChange: () => void,
  channel: 'job' | 'output' = 'job',
): Promise<() => void> {
  return listener().listen(channel, (payload) => {
    if (payload === null || ids.has(payload)) onChange()
  })
}

/** Waits until the job has its final status. Returns false if `signal` was aborted first. */
export async function waitUntilFinal(jobId: string, signal: AbortSignal): Promise<boolean> {
  return (await waitFor(jobId, signal, () => hasEnded(jobId))) ?? false
}

/**
 * Waits for an actor until the job has its final status. Returns false if `signal` was aborted first.
 * @throws 401 soon after the actor's credential was revoked.
 */
export function waitUntilFinalFor(actor: Actor, jobId: string, signal: AbortSignal): Promise<boolean> {
  return waitForActor(actor, { id: jobId, kind: 'job' }, signal, () => hasEnded(jobId))
}

/** What a request waits for. Notifications of jobs have its id. */
interface Awaited {
  id: string
  kind: 'job' | 'entry'
}

/** The same for what is not only a job: until `hasEnded`. */
export async function waitForActor(
  actor: Actor,
  awaited: Awaited,
  signal: AbortSignal,
  hasEnded: () => Promise<boolean>,
): Promise<boolean> {
  const isStillValid = cachedCredentialCheck(actor)
  const final = await waitFor(awaited.id, signal, async () => {
    if (!(await isStillValid())) throw revokedWhileWaiting(awaited)
    return hasEnded()
  })
  return final ?? false
}

/** Checks the actor's credential again, before the answer to a request that has waited. @throws 401. */
export async function requireStillValid(actor: Actor, awaited: Awaited): Promise<void> {
  if (!(await isCredentialValid(actor))) throw revokedWhileWaiting(awaited)
}

function revokedWhileWaiting({ kind, id }: Awaited): GpuqError {
  return unauthenticated(
    `The token or session of this request was ended while the request waited. gpuq accepted ${kind} ${id}, and it continues. Use a valid token to read its result.`,
  )
}

/**
 * Reserves one of the requests of a user that may wait for results at once: each keeps a connection open and asks the
 * database regularly. Returns the function that releases it.
 * @param instead what the user can do instead
 * @throws 429 if all are in use.
 */
export function startWaiting(
  { userId }: Actor,
  instead = 'Submit with "?wait=false" and read the result later',
): () => void {
  const limit = env().GPUQ_MAX_WAITING_REQUESTS
  const release = takeSlot(`waits of ${userId}`, limit)
  if (release) return release
  throw rateLimited(
    `You have ${limit} requests that wait for results, which is the limit. ${instead}, or wait until one of them ends.`,
    10,
  )
}

/** Also true for a job that was deleted. */
async function hasEnded(jobId: string): Promise<boolean> {
  const job = await findRow<{ status: JobStatus }>(database().pool, {
    name: 'job-status',
    text: 'SELECT status FROM jobs WHERE id = $1',
    values: [jobId],
  })
  return !job || isFinal(job.status)
}

/** Waits for the name of the result file, which follows the job's end shortly. Returns null if `signal` was aborted first. */
export function waitForResultFile(jobId: string, signal: AbortSignal): Promise<string | null> {
  return waitFor(jobId, signal, () => findResultFile(jobId))
}

/**
 * Calls `check` after each change of the job until it returns a value; null if `signal` was aborted first. Goes on if
 * the database is unavailable for a moment, so that a long wait survives a restart of the database.
 */
async function waitFor<T>(jobId: string, signal: AbortSignal, check: () => Promise<T>): Promise<T | null> {
  const change = new ChangeSignal(signal)
  const stop = await watchJob(jobId, change.notify)
  try {
    while (!signal.aborted) {
      const found = await check().catch((error: unknown) => {
        if (!isDatabaseAway(error)) throw error
        return null
      })
      if (found) return found
      await change.wait(pollIntervalMs)
    }
    return null
  } finally {
    stop()
  }
}
