import type { JobSummary } from '@/lib/contract/jobs'

/** The end of an id: its start is a time, and the same for jobs submitted together. */
export function shortId(id: string): string {
  return id.slice(-8)
}

/** What to call a job: its name, else the end of its id. */
export function jobTitle({ name, job_id }: Pick<JobSummary, 'name' | 'job_id'>): string {
  return name ?? shortId(job_id)
}
