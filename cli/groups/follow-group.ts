import type { GroupDetail } from '@/lib/groups/contract'
import { type Context, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import { readFailure } from '../job/read-failure'
import { note } from '../job/show-job'
import { untilAnswered } from '../job/until-answered'
import { adviseFailed, describeMember } from './describe-group'

/** Waits until a group has ended, and says how far it is whenever members have ended. */
export async function followGroup(
  context: Context,
  id: string,
  { quiet, json }: { quiet?: boolean | undefined; json?: boolean | undefined },
): Promise<number> {
  const client = await context.connect()
  let shown = ''
  let ended: number | undefined
  for (;;) {
    const group = await untilAnswered(context, () => client.groups.wait(id, { for: 'any', ended }))
    ended = group.counts.completed + group.counts.failed + group.counts.cancelled
    const line = describeProgress(group)
    if (!quiet && !json && line !== shown) await note(context, line)
    shown = line
    if (group.ended_at !== null) return showEnd(context, group, { quiet, json })
  }
}

const whyNotNext = 'The next one cannot enter the queue now: '

/** `12 of 60 ended (1 failed), 8 in the queue or running, 40 held`. */
export function describeProgress({ counts, members, problem }: GroupDetail): string {
  const { completed, failed, cancelled, pending, paused, running, held } = counts
  const notCompleted = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ]
  const ended = completed + failed + cancelled
  return [
    `${ended} of ${members} ended${notCompleted.length > 0 ? ` (${notCompleted.join(', ')})` : ''}`,
    ...(running > 0 ? [`${running} running`] : []),
    ...(pending > 0 ? [`${pending} waiting`] : []),
    ...(paused > 0 ? [`${paused} paused`] : []),
    ...(held > 0 ? [`${held} held`] : []),
  ]
    .join(', ')
    .concat(problem === null ? '' : `. ${held + paused > 0 ? whyNotNext : ''}${problem}`)
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
