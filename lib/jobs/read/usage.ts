import type { Actor } from '../../access/actor'
import type { JobUsage } from '../../contract/cluster/job-usage'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { findVisibleJob } from './job-visibility'

type TaskRow = WithDates<JobUsage['tasks'][number], 'started_at'>

/** Reads the use of CPU and memory over the run of a job's last attempt. @throws 404 */
export async function readJobUsage(actor: Actor, jobId: string): Promise<JobUsage> {
  const { id, attempt } = await findVisibleJob(actor, jobId)
  const { rows } = await database().pool.query<TaskRow>({
    name: 'usage-of-job',
    text: `SELECT t.rank, n.name AS node, t.started_at, u.interval_s, u.cpu_cores, u.memory_mib, t.cpu_milli,
                  t.memory_mib AS memory_limit_mib
             FROM tasks t JOIN task_usage u ON u.task_id = t.id JOIN nodes n ON n.id = t.node_id
            WHERE t.job_id = $1 AND t.attempt = $2 AND t.started_at IS NOT NULL ORDER BY t.rank`,
    values: [id, attempt],
  })
  return { attempt, tasks: rows.map(datesToText) }
}
