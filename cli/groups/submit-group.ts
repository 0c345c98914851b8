import { randomUUID } from 'node:crypto'
import type { GroupDetail, GroupDryRun } from '@/lib/groups/contract'
import { withLocalTimes } from '../console/format'
import { type Context, print } from '../context'
import type { GivenSubmission } from '../job/other-submission'
import { note } from '../job/show-job'
import { repeatWhileAway } from '../job/submit-once'
import { followGroup } from './follow-group'

/** Sends a group, and repeats it if the connection breaks. All attempts have the same idempotency key, so they create one group. */
export async function submitGroup(
  context: Context,
  submission: { code?: Blob | string; config: Blob | string },
  quiet = false,
): Promise<GroupDetail> {
  const client = await context.connect()
  const idempotencyKey = randomUUID()
  return repeatWhileAway(context, () => client.groups.submit({ ...submission, idempotencyKey }), quiet)
}

/** Submits a group, says what may be a mistake, and waits for its end. */
export async function submitAndFollow(
  context: Context,
  { code, config, dryRun = false, wait = true, quiet = false, json = false }: GivenSubmission,
): Promise<number> {
  const submission = { ...(code !== undefined && { code }), config }
  if (dryRun) {
    const answer = await (await context.connect()).groups.dryRun(submission)
    return print(context, json, answer, renderDryRun(answer))
  }
  const group = await submitGroup(context, submission, quiet)
  if (!quiet && !json) for (const hint of group.hints ?? []) await note(context, hint)
  if (!wait) return print(context, json, group, `${group.group_id}\n`)
  if (!quiet && !json) await note(context, `group ${group.group_id}: ${group.members} members`)
  return followGroup(context, group.group_id, { quiet, json })
}

function renderDryRun({ text, gpu_hours, run_hours, hints }: GroupDryRun): string {
  const inHours = ({ expected, most }: GroupDryRun['run_hours']) =>
    `about ${rounded(expected)}, at most ${rounded(most)}`
  const hours =
    gpu_hours.most > 0 ? `GPU hours: ${inHours(gpu_hours)}` : `hours of run time: ${inHours(run_hours)}`
  return [withLocalTimes(text, Date.now()), hours, ...hints].map((line) => `${line}\n`).join('')
}

const rounded = (hours: number) => Number(hours.toPrecision(3))
