import type { ActiveStatus } from '../../contract/status'
import { database } from '../../database/client'
import type { Ledger } from '../../database/ledger'

/** The changes of the number of jobs that have not ended. Counting them would take longer the more jobs wait. */
export const activeJobsLedger: Ledger = {
  table: 'active_job_changes',
  keys: ['status', 'reason'],
  amount: 'jobs',
  count: 'SELECT status, reason, count(*) FROM active_jobs GROUP BY 1, 2',
}

export interface ActiveJobs {
  byStatus: Record<ActiveStatus, number>
  /** Waiting jobs by the reason why they wait. Jobs that no pass has examined yet have the reason `none`. */
  byReason: Record<string, number>
}

/** Counts the jobs that have not ended. */
export async function countActiveJobs(): Promise<ActiveJobs> {
  const { rows } = await database().pool.query<{ status: ActiveStatus; reason: string | null; jobs: number }>(
    {
      name: 'count-active-jobs',
      text: 'SELECT status, reason, sum(jobs)::int AS jobs FROM active_job_changes GROUP BY 1, 2 HAVING sum(jobs) <> 0',
    },
  )
  const counted: ActiveJobs = { byStatus: { pending: 0, scheduled: 0, running: 0 }, byReason: {} }
  for (const { status, reason, jobs } of rows) {
    counted.byStatus[status] += jobs
    if (status === 'pending') counted.byReason[reason ?? 'none'] = jobs
  }
  return counted
}
