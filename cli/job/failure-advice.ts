import type { JobsClient } from '@/lib/http/client/jobs-client'

/** What to change so that a failed job can succeed, as its page says; null: unknown, or the server does not answer. */
export async function readAdvice(client: JobsClient, jobId: string): Promise<string | null> {
  try {
    return (await client.jobs.get(jobId)).advice?.text ?? null
  } catch {
    return null
  }
}
