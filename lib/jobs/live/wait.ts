import { ChangeSignal } from '../../async/change-signal'
import { isFinal, type JobStatus } from '../../contract/status'
import { isDatabaseAway } from '../../database/away'
import { database } from '../../database/client'
import { listener } from '../../database/listen'
import { findRow } from '../../database/transaction'
import { findResultFile } from '../../results/read-output'

/** Interval of polling, in case a notification was lost. */
export const pollIntervalMs = 2_000

/** Calls `onChange` for each notification of the job. Resolves once it listens. Returns the function that stops it. */
export function watchJob(
  jobId: string,
  onChange: () => void,
  channel: 'job' | 'output' = 'job',
): Promise<() => void> {
  return listener().listen(channel, (payload) => {
    if (payload === null || payload === jobId) onChange()
  })
}

/** Waits until the job has its final status. Returns false if `signal` was aborted first. */
export async function waitUntilFinal(jobId: string, signal: AbortSignal): Promise<boolean> {
  const final = await waitFor(jobId, signal, async () => {
    const job = await findRow<{ status: JobStatus }>(database().pool, {
      name: 'job-status',
      text: 'SELECT status FROM jobs WHERE id = $1',
      values: [jobId],
    })
    return !job || isFinal(job.status)
  })
  return final ?? false
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
