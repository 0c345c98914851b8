import type { GroupDetail } from '@/lib/groups/contract'
import type { Client } from '@/lib/http/client/client'
import { formatCount } from '../console/format'
import { type Context, print } from '../context'
import { describeProgress } from './describe-group'

export interface Extension {
  samples?: number | undefined
  repeat?: number | undefined
}

/** Changes of a group. Each says what it changed. */
const changes = {
  cancel: { apply: (client: Client, id: string) => client.groups.cancel(id), describe: describeCancelled },
  'rerun-failed': {
    apply: (client: Client, id: string) => client.groups.rerunFailed(id),
    describe: describeRerun,
  },
  extend: {
    apply: (client: Client, id: string, extension: Extension) => client.groups.extend(id, extension),
    describe: describeExtended,
  },
} as const

export type Change = keyof typeof changes

export const isChange = (action: string): action is Change => Object.hasOwn(changes, action)

/** Changes a group, and says how many members that concerns. */
export async function changeGroup(
  context: Context,
  { id, change, extension = {}, json }: { id: string; change: Change; extension?: Extension; json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const before = await client.groups.get(id)
  const after = await changes[change].apply(client, id, extension)
  return print(
    context,
    json,
    after,
    `${changes[change].describe(before, after)}\n${describeProgress(after)}\n`,
  )
}

function describeCancelled(before: GroupDetail, { group_id: id, counts }: GroupDetail): string {
  const cancelled = counts.cancelled - before.counts.cancelled
  const live = counts.pending + counts.running + counts.paused
  const parts = [
    ...(cancelled > 0 ? [`${formatCount(cancelled, 'member')} cancelled`] : []),
    ...(live > 0 ? [`${formatCount(live, 'member')} being stopped`] : []),
  ]
  return parts.length === 0
    ? `The group ${id} was already cancelled.`
    : `Cancelled the group ${id}: ${parts.join(', ')}.`
}

function describeRerun(before: GroupDetail, { group_id: id, counts }: GroupDetail): string {
  const again = before.counts.failed - counts.failed
  if (again <= 0) return `No member of the group ${id} has failed, so none runs again.`
  return `${formatCount(again, 'failed member')} of the group ${id} ${again === 1 ? 'runs' : 'run'} again.`
}

function describeExtended(before: GroupDetail, { group_id: id, members }: GroupDetail): string {
  const added = members - before.members
  if (added <= 0) return `The group ${id} already has ${formatCount(members, 'member')}, so none was added.`
  return `Added ${formatCount(added, 'member')} to the group ${id}, which has ${members} now.`
}
