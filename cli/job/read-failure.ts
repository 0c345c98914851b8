import { summarizeDiagnosis } from '@/lib/contract/diagnosis/print-diagnosis'
import type { JobsClient } from '@/lib/http/client/jobs-client'

/** Why a job failed and what to change, as its page says, in a few lines; none if nothing is known or the server does not answer. */
export async function readFailure(client: JobsClient, jobId: string): Promise<string[]> {
  try {
    const { diagnosis, advice } = await client.jobs.get(jobId)
    if (diagnosis) return summarizeDiagnosis(diagnosis).split('\n')
    // An older server has only this.
    return advice ? [advice.text] : []
  } catch {
    return []
  }
}
