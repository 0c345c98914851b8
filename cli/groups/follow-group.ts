import type { GroupDetail } from '@/lib/groups/contract'
import { waitsForApproval } from '@/lib/groups/contract-title'
import { type Context, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import { readFailure } from '../job/read-failure'
import { describeUnapproved, note } from '../job/show-job'
import { untilAnswered } from '../job/until-answered'
import { adviseFailed, describeMember, describeProblem, describeProgress } from './describe-group'

/** Waits until a group has ended, and says how far it is whenever members have ended. */
export async function followGroup(
  context: Context,
  id: string,
  { quiet, json }: { quiet?: boolean | undefined; json?: boolean | undefined },
): Promise<number> {
  const client = await context.connect()
  const signal = context.interrupted()
  let group: GroupDetail | undefined
  let shown = ''
  try {
    for (;;) {
      const before = group
      group = await untilAnswered(context, () =>
        before === undefined
          ? client.groups.get(id, signal)
          : client.groups.wait(id, { for: 'any', ended: endedOf(before) }, signal),
      )
      const line = [describeProgress(group), describeProblem(group)]
        .filter((part) => part !== null)
        .join('. ')
      if (!quiet && !json && line !== shown) await note(context, line)
      shown = line
      if (group.ended_at !== null) return showEnd(context, group, { quiet, json })
    }
  } catch (error) {
    if (!signal.aborted) throw error
    if (!quiet) await note(context, describeLeft(id, group))
    return exitCodes.cancelled
  }
}

const endedOf = ({ counts }: GroupDetail) => counts.completed + counts.failed + counts.cancelled

/** What goes on after Ctrl-C, and what the user can do. */
function describeLeft(id: string, group: GroupDetail | undefined): string {
  const now = group && waitsForApproval(group) ? describeUnapproved('group', id) : 'The group goes on.'
  return `${now} Wait for it again with \`gpuq group ${id} wait\`, or cancel it with \`gpuq group ${id} cancel\`.`
}

async function showEnd(
  context: Context,
  group: GroupDetail,
  { quiet, json }: { quiet?: boolean | undefined; json?: boolean | undefined },
): Promise<number> {
  if (json) await writeJson(context, group)
  else {
    if (group.best && !quiet)
      await note(context, `best: ${describeMember(group.best, group.objective?.metric)}`)
    await context.terminal.out(`${group.group_id} ${group.status}\n`)
    if (!quiet) await noteFailed(context, group)
  }
  return exitCodeOfGroup(group)
}

/** Says why the first member failed, and how to see the others. */
async function noteFailed(context: Context, group: GroupDetail): Promise<void> {
  const advice = adviseFailed(group)
  if (advice.length === 0) return
  const client = await context.connect()
  const [first] = await client.groups
    .members(group.group_id, { status: 'failed', limit: 1 })
    .then(({ items }) => items)
    .catch(() => [])
  if (first !== undefined) {
    const [why = first.reason_text] = await readFailure(client, first.job_id)
    if (why !== null) await note(context, `first failed: ${describeMember(first, undefined)}: ${why}`)
  }
  for (const line of advice) await note(context, line)
}

export function exitCodeOfGroup({ status }: Pick<GroupDetail, 'status'>): number {
  if (status === 'completed') return exitCodes.ok
  return status === 'cancelled' ? exitCodes.cancelled : exitCodes.failed
}
