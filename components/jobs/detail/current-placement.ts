import type { JobDetail } from '@/lib/contract/jobs'

/** The job without the placement of an earlier attempt: a job that waits again holds no node or GPUs. */
export function currentPlacement(job: JobDetail): JobDetail {
  if (job.status !== 'pending' || job.placed) return job
  return { ...job, node_name: null, gpus: [], resources: { ...job.resources, got: [] } }
}
