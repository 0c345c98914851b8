import { conflict } from '@/lib/contract/errors'
import type { JobDetail } from '@/lib/contract/jobs'
import type { Client } from '@/lib/http/client/client'

/** Whether a loaded job belongs to the caller. Managers and admins can read jobs of others. */
export async function isOwnJob(
  client: Pick<Client, 'users'>,
  { user_id }: Pick<JobDetail, 'user_id'>,
): Promise<boolean> {
  return user_id === (await client.users.me()).user_id
}

/** @throws GpuqError if a job belongs to somebody else. `why` says what is not possible. */
export async function requireOwnJob(client: Client, jobId: string, why: string): Promise<void> {
  if (!(await isOwnJob(client, await client.jobs.get(jobId))))
    throw conflict(`Job ${jobId} belongs to another user: ${why}`)
}
