import { ChangeSignal } from '../../async/change-signal'
import { isFinal, type JobStatus } from '../../contract/status'
import { isDatabaseAway } from '../../database/away'
import { database } from '../../database/client'
import { listener } from '../../database/listen'
import { findResultFile, type StoredResultFile } from '../../results/read-output'

/** How often a waiter looks by itself, should a notification be lost. */
export const lookEveryMs = 2_000

/** Calls `onChange` when the job's notifications come. Resolves once it listens; returns how to stop. */
export function watchJob(
  jobId: string,
  onChange: () => void,
  channel: 'job' | 'output' = 'job',
): Promise<() => void> {
  return listener().listen(channel, (payload) => {
    if (payload === null || payload === jobId) onChange()
  })
}

/** Waits until the job has its verdict. False when `signal` was aborted first: the job itself goes on. */
export async function waitUntilFinal(jobId: string, signal: AbortSignal): Promise<boolean> {
  const final = await waitFor(jobId, signal, async () => {
    const status = await readStatus(jobId)
    return status === null || isFinal(status)
  })
  return final ?? false
}

/** Waits for an ended job's file, which is written moments after the verdict; null when `signal` was aborted first. */
export function waitForResultFile(jobId: string, signal: AbortSignal): Promise<StoredResultFile | null> {
  return waitFor(jobId, signal, () => findResultFile(jobId))
}

/**
 * Looks whenever the job changes, until there is something; null when `signal` was aborted first. A look that the database
 * does not answer finds nothing: whoever waits has waited long, and it is back in a moment.
 */
async function waitFor<T>(jobId: string, signal: AbortSignal, look: () => Promise<T>): Promise<T | null> {
  const change = new ChangeSignal(signal)
  const stop = await watchJob(jobId, change.notify)
  try {
    while (!signal.aborted) {
      const found = await look().catch(unlessAway)
      if (found) return found
      await change.wait(lookEveryMs)
    }
    return null
  } finally {
    stop()
  }
}

function unlessAway(error: unknown): null {
  if (!isDatabaseAway(error)) throw error
  return null
}

async function readStatus(jobId: string): Promise<JobStatus | null> {
  const { rows } = await database().pool.query<{ status: JobStatus }>({
    name: 'job-status',
    text: 'SELECT status FROM jobs WHERE id = $1',
    values: [jobId],
  })
  return rows[0]?.status ?? null
}
