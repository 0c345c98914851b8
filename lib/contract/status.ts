/** The life of a job and of its tasks: the only table of allowed status changes. */

export const jobStatuses = ['pending', 'scheduled', 'running', 'completed', 'failed', 'cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

/** What may follow each status. A retry takes a job back to `pending`. A test applies each verb of `lib/jobs/state` to each status. */
export const jobTransitions = {
  pending: ['scheduled', 'failed', 'cancelled'],
  scheduled: ['pending', 'running', 'completed', 'failed', 'cancelled'],
  running: ['pending', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>

/** A job with one of these has not ended. */
export const activeStatuses = ['pending', 'scheduled', 'running'] as const satisfies readonly JobStatus[]
export type ActiveStatus = (typeof activeStatuses)[number]

export const finalStatuses = ['completed', 'failed', 'cancelled'] as const satisfies readonly JobStatus[]

export function isFinal(status: JobStatus): boolean {
  return (finalStatuses as readonly JobStatus[]).includes(status)
}

export const taskStatuses = [
  'scheduled',
  'starting',
  'running',
  'completed',
  'failed',
  'cancelled',
  'lost',
] as const
export type TaskStatus = (typeof taskStatuses)[number]
export const liveTaskStatuses = ['scheduled', 'starting', 'running'] as const satisfies readonly TaskStatus[]

/** The five statuses of the upload API: a job that has a place but has not started is still `pending` there. */
export const uploadStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export type UploadStatus = (typeof uploadStatuses)[number]

export function toUploadStatus(status: JobStatus): UploadStatus {
  return status === 'scheduled' ? 'pending' : status
}

/** The inverse of {@link toUploadStatus}: the stored statuses that one upload status stands for. */
export function fromUploadStatus(status: UploadStatus): JobStatus[] {
  return jobStatuses.filter((stored) => toUploadStatus(stored) === status)
}
