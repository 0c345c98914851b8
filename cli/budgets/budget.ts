import { visibleText } from '@/lib/contract/text/sanitize-text'
import { type Context, print } from '../context'
import { findJobId } from '../job/job-id'

/** Shows the budgets of the caller, or of one job. */
export async function budget(
  context: Context,
  given: string | undefined,
  { json }: { json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const job = given === undefined ? undefined : await findJobId(client, given)
  const budgets = await client.budgets.list({ job })
  const lines = budgets.map((one) => `${visibleText(one.label, 300)}: ${one.sentence}\n`)
  const none = `No budget limits the GPU hours of ${job === undefined ? 'your jobs' : 'the job'}.\n`
  return print(context, json, budgets, lines.join('') || none)
}
