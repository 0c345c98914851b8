import type { JobDetail } from '@/lib/contract/jobs'

/** The job as it is now: one that waits again is not where its last attempt ran, and holds nothing there. */
export function currentPlacement(job: JobDetail): JobDetail {
  if (job.status !== 'pending' || job.placed) return job
  return { ...job, node_name: null, gpus: [], resources: { ...job.resources, got: [] } }
}
