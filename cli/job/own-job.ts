import { conflict } from '@/lib/contract/errors'
import type { JobDetail } from '@/lib/contract/jobs'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'

/** Whether a loaded job belongs to the caller. Managers and admins can read jobs of others. */
export async function isOwnJob(
  client: Pick<Client, 'users'>,
  { user_id }: Pick<JobDetail, 'user_id'>,
): Promise<boolean> {
  return client.users.me().then(
    (me) => user_id === me.user_id,
    (error: unknown) => {
      // The token of a class may not ask whose it is, and reads no jobs of others.
      if (error instanceof ProblemError && error.status === 403) return true
      throw error
    },
  )
}

/** @throws GpuqError if a job belongs to somebody else. `why` says what is not possible. */
export async function requireOwnJob(client: Client, jobId: string, why: string): Promise<void> {
  if (!(await isOwnJob(client, await client.jobs.get(jobId))))
    throw conflict(`Job ${jobId} belongs to another user: ${why}`)
}
