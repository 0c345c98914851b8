import type { Expectation } from '../cluster/placement/forecast'
import type { QueueJob } from '../contract/cluster'
import type { StoredSpec } from '../contract/config/stored-spec'
import type { QueueJobDetail } from '../contract/queue'
import { reasonText } from '../contract/reasons'
import type { JobStatus } from '../contract/status'
import { askedOf } from '../jobs/read/resources'

/** A job as SQL returns it with {@link queueColumns}. */
export interface QueueRow {
  id: string
  run_id: string | null
  name: string | null
  user_id: string
  handle: string
  project: string
  command: string | null
  status: JobStatus
  spec: StoredSpec
  priority: number
  reason: string | null
  reason_detail: string | null
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
  exit_code: number | null
  expected_time_s: number
  node: string | null
  gpus: number[]
}

export const queueColumns = `
  j.id, j.run_id, j.name, j.user_id, u.handle, p.slug AS project, j.command, j.status, j.spec, j.priority, j.reason,
  j.reason_detail, j.created_at, j.started_at, j.ended_at, j.exit_code, j.expected_time_s, n.name AS node,
  coalesce((SELECT jsonb_agg(g.index ORDER BY g.index) FROM allocations a JOIN gpus g ON g.id = a.gpu_id
             WHERE a.task_id = t.id), '[]') AS gpus`

export const queueSource = `
  jobs j JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id
  LEFT JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0
                   -- A job that waits again has left the nodes of the attempt before.
                   AND j.status <> 'pending'
  LEFT JOIN nodes n ON n.id = t.node_id`

/** Where each instance of the job's last attempt runs or ran. */
export const queueInstances = `
  coalesce((SELECT jsonb_agg(jsonb_build_object('rank', i.rank, 'node', held.name, 'gpus', coalesce(
                     (SELECT jsonb_agg(g.index ORDER BY g.index) FROM allocations a JOIN gpus g ON g.id = a.gpu_id
                       WHERE a.task_id = i.id), '[]')) ORDER BY i.rank)
              FROM tasks i JOIN nodes held ON held.id = i.node_id
             WHERE i.job_id = j.id AND i.attempt = j.attempt AND j.status <> 'pending'), '[]') AS instances`

export interface QueueDetailRow extends QueueRow {
  instances: QueueJobDetail['instances']
}

/** What the queue API calls each status. */
const queueStatusOf = {
  pending: 'queued',
  scheduled: 'scheduled',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<JobStatus, QueueJobDetail['status']>

export const toQueueStatus = (status: JobStatus): QueueJobDetail['status'] => queueStatusOf[status]

/** The statuses of jobs that are in the queue's lists. */
const listedStatusOf = { pending: 'queued', scheduled: 'scheduled', running: 'running' } as const

function isListed(status: JobStatus): status is keyof typeof listedStatusOf {
  return status in listedStatusOf
}

/** What a job takes and when: all that a researcher sees of another's. */
function toShape({ spec, ...row }: QueueRow, expected: Expectation | undefined) {
  return {
    ...askedOf(spec),
    priority: row.priority,
    position: expected?.position ?? null,
    expected_start: expected?.expectedStart?.toISOString() ?? null,
    submitted_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    estimated_duration_seconds: row.expected_time_s,
    node: row.node,
    gpus: row.gpus,
  }
}

/** What only its owner and admins see of a job. */
function toOwn(row: QueueRow) {
  return {
    job_id: row.id,
    run_id: row.run_id,
    name: row.name,
    user: row.handle,
    project_id: row.project,
    command: row.command,
    reason: row.reason,
    reason_detail: row.reason_detail,
    reason_text: reasonText(row),
  }
}

const hidden = {
  job_id: null,
  run_id: null,
  name: null,
  user: null,
  project_id: null,
  command: null,
  reason: null,
  reason_detail: null,
  reason_text: null,
} as const satisfies Record<keyof ReturnType<typeof toOwn>, null>

/** A job of the queue's lists. Only a waiting one has something to expect. */
export function toQueueJob(row: QueueRow, expected: Expectation | undefined, mayKnow: boolean): QueueJob {
  if (!isListed(row.status)) throw new Error(`job ${row.id} has ended, and was listed in the queue`)
  return {
    ...(mayKnow ? toOwn(row) : hidden),
    status: listedStatusOf[row.status],
    ...toShape(row, expected),
  }
}

/** One job, for whoever may see it. */
export function toQueueJobDetail(row: QueueDetailRow, expected: Expectation | undefined): QueueJobDetail {
  return {
    ...toOwn(row),
    status: toQueueStatus(row.status),
    ...toShape(row, expected),
    instances: row.instances,
    completed_at: row.ended_at?.toISOString() ?? null,
    exit_code: row.exit_code,
  }
}
