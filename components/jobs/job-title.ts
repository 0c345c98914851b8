import type { JobSummary } from '@/lib/contract/jobs'

/** The end of an id. Its start is a time and equal for jobs submitted together. */
export function shortId(id: string): string {
  return id.slice(-8)
}

/** The name of a job, or the end of its id. */
export function jobTitle({ name, job_id }: Pick<JobSummary, 'name' | 'job_id'>): string {
  return name ?? shortId(job_id)
}
