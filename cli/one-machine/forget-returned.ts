import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { MissingSince } from './claim-log'
import type { ClaimLogFile } from './claim-log-file'

/** An editor that writes a file again needs less time than this between its steps. */
const shortestAbsenceMs = 2_000

interface ForgetOptions {
  client: Pick<Client, 'jobs'>
  claims: ClaimLogFile
  now(): number
}

/**
 * Forgets the lines that were removed and are back, if their job has failed: a user who adds a failed line again wants
 * it to run again.
 * @param present how often each line is in the file.
 * @param goneSince the lines that were missing at the last check.
 */
export async function forgetReturned(
  { client, claims, now }: ForgetOptions,
  present: ReadonlyMap<string, number>,
  goneSince: MissingSince,
): Promise<void> {
  const record = await claims.refresh()
  for (const [line, { times, since }] of goneSince) {
    const isBack = (present.get(line) ?? 0) > times && now() - since >= shortestAbsenceMs
    const job = isBack ? record.lastJob(line) : null
    if (job === null || !(await hasFailed(client, job))) continue
    await claims.append([{ account: claims.account, line, forgotten: record.forgottenAt(line, times) }])
  }
}

/** Whether its user cancelled a job, whose line a reset must not run again. */
export async function wasCancelledByUser(client: Pick<Client, 'jobs'>, job: string): Promise<boolean> {
  const { status, reason } = await readJob(client, job)
  return status === 'cancelled' && reason === 'cancelled_by_user'
}

async function hasFailed(client: Pick<Client, 'jobs'>, job: string): Promise<boolean> {
  const { status } = await readJob(client, job)
  return status === 'failed' || status === 'cancelled'
}

/** Nothing is known if the server is unavailable, or the job was deleted. */
async function readJob(
  client: Pick<Client, 'jobs'>,
  job: string,
): Promise<{ status?: string; reason?: string | null }> {
  try {
    return await client.jobs.get(job)
  } catch (error) {
    if (error instanceof ProblemError) return {}
    throw error
  }
}
