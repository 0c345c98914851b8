import { conflict } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'

/** Whether a job belongs to the caller. Managers and admins can read jobs of others. */
export async function isOwnJob(client: Client, jobId: string): Promise<boolean> {
  const [job, me] = await Promise.all([client.jobs.get(jobId), client.users.me()])
  return job.user_id === me.user_id
}

/** @throws GpuqError if a job belongs to somebody else. `why` says what is not possible. */
export async function requireOwnJob(client: Client, jobId: string, why: string): Promise<void> {
  if (!(await isOwnJob(client, jobId))) throw conflict(`Job ${jobId} belongs to another user: ${why}`)
}
