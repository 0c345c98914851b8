import { printDiagnosis } from '@/lib/contract/diagnosis/print-diagnosis'
import type { JobDetail } from '@/lib/contract/jobs'
import { type Context, print } from '../context'
import { findJobId } from '../job/job-id'

/** Says why a job failed or cannot start: cause, place, what to change, and the lines of the output that show it. */
export async function why(
  context: Context,
  given: string,
  { json = false }: { json?: boolean },
): Promise<number> {
  const client = await context.connectToJobs()
  const job = await client.jobs.get(await findJobId(client, given))
  const diagnosis = job.diagnosis ?? null
  const text = diagnosis === null ? describeState(job) : `${printDiagnosis(diagnosis)}\n`
  return print(context, json, diagnosis, text)
}

function describeState({ status, reason_text }: JobDetail): string {
  return `The job is ${status}, and nothing is known to be wrong.${reason_text === null ? '' : ` ${reason_text}`}\n`
}
