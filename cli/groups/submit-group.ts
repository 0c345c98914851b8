import { randomUUID } from 'node:crypto'
import type { GroupDetail } from '@/lib/groups/contract'
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
  { code, config, wait = true, quiet = false, json = false }: GivenSubmission,
): Promise<number> {
  const group = await submitGroup(context, { ...(code !== undefined && { code }), config }, quiet)
  if (!quiet && !json) for (const hint of group.hints ?? []) await note(context, hint)
  if (!wait) return print(context, json, group, `${group.group_id}\n`)
  if (!quiet && !json) await note(context, `group ${group.group_id}: ${group.members} members`)
  return followGroup(context, group.group_id, { quiet, json })
}
