import type { QueueJob } from '../contract/cluster/cluster'
import type { StoredSpec } from '../contract/config/stored-spec'
import type { QueueJobDetail } from '../contract/queue'
import { reasonText } from '../contract/reasons'
import type { JobStatus } from '../contract/status'
import type { Expectation } from '../engine/forecaster'
import { askedOf } from '../jobs/read/resources'
import { toExpectedStart } from './expected-start'

/** A job as SQL returns it with {@link queueColumns}. */
export interface QueueRow<Status extends JobStatus = JobStatus> {
  id: string
  group_id: string | null
  run_id: string | null
  name: string | null
  user_id: string
  handle: string
  user_name: string | null
  project: string
  command: string | null
  status: Status
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
  j.id, j.group_id, j.run_id, j.name, j.user_id, u.handle, u.name AS user_name, p.slug AS project, j.command, j.status, j.spec, j.priority, j.reason,
  j.reason_detail, j.created_at, j.started_at, j.ended_at, j.exit_code, j.expected_time_s, n.name AS node,
  coalesce((SELECT jsonb_agg(g.index ORDER BY g.index) FROM allocations a JOIN gpus g ON g.id = a.gpu_id
             WHERE a.task_id = t.id), '[]') AS gpus`

export const queueSource = `
  jobs j JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id
  LEFT JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0
                   -- A job that waits for its next attempt is not on the nodes of the previous one.
                   AND j.status <> 'pending'
  LEFT JOIN nodes n ON n.id = t.node_id`

/** The nodes of the job's last attempt. */
export const queueInstances = `
  coalesce((SELECT jsonb_agg(jsonb_build_object('rank', i.rank, 'node', held.name, 'gpus', coalesce(
                     (SELECT jsonb_agg(g.index ORDER BY g.index) FROM allocations a JOIN gpus g ON g.id = a.gpu_id
                       WHERE a.task_id = i.id), '[]')) ORDER BY i.rank)
              FROM tasks i JOIN nodes held ON held.id = i.node_id
             WHERE i.job_id = j.id AND i.attempt = j.attempt AND j.status <> 'pending'), '[]') AS instances`

export interface QueueDetailRow extends QueueRow {
  instances: QueueJobDetail['instances']
}

/** Converts a stored status to the status of the queue API. */
export function toQueueStatus<Status extends JobStatus>(status: Status) {
  return status === 'pending' ? 'queued' : (status as Exclude<Status, 'pending'>)
}

/** Resources and times of a job, which every researcher may see. */
function toShape({ spec, ...row }: QueueRow, expected: Expectation | undefined) {
  return {
    ...askedOf(spec),
    priority: row.priority,
    // Subtract from zero to avoid minus zero.
    line_priority: spec.cuda_argument ? 0 - row.priority : null,
    position: expected?.position ?? null,
    ...toExpectedStart(expected),
    submitted_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    estimated_duration_seconds: row.expected_time_s,
    node: row.node,
    gpus: row.gpus,
  }
}

/** Fields of a job that only its owner, managers of its project and admins may see. */
function toOwn(row: QueueRow) {
  return {
    job_id: row.id,
    group_id: row.group_id,
    run_id: row.run_id,
    name: row.name,
    user: row.handle,
    user_name: row.user_name,
    project_id: row.project,
    command: row.command,
    reason: row.reason,
    reason_detail: row.reason_detail,
    reason_text: reasonText(row),
  }
}

const hidden = {
  job_id: null,
  group_id: null,
  run_id: null,
  name: null,
  user: null,
  user_name: null,
  project_id: null,
  command: null,
  reason: null,
  reason_detail: null,
  reason_text: null,
} as const satisfies Record<keyof ReturnType<typeof toOwn>, null>

/** A job that has not ended. */
export interface ListedRow extends QueueRow<'pending' | 'scheduled' | 'running'> {
  /** Whether the caller may see more than its resources and times. */
  visible: boolean
}

/** A job of the queue's lists. Only a waiting job has an expectation. */
export function toQueueJob(row: ListedRow, expected: Expectation | undefined): QueueJob {
  const own = row.visible ? toOwn(row) : hidden
  return { ...own, status: toQueueStatus(row.status), ...toShape(row, expected) }
}

/** One job, for its owner and admins. */
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
