import type { Group, GroupDetail, GroupMember } from '@/lib/groups/contract'
import { metricOf, runSecondsOf } from '@/lib/groups/contract-csv'
import { waitLabel, waitsForApproval } from '@/lib/groups/contract-title'
import { statusColours } from '../console/format'
import type { Column } from '../console/table'
import type { Colour } from '../console/terminal'
import { quoted } from '../declare/values'

/** Where a group is, in a word and its colour. */
export function stateOf(group: Pick<Group, 'status' | 'awaits_approval' | 'waits_for_others'>): {
  word: string
  colour: Colour
} {
  const label = waitLabel(group)
  if (label === null) return { word: group.status, colour: statusColours[group.status] }
  return { word: label.toLowerCase(), colour: waitsForApproval(group) ? 'yellow' : 'dim' }
}

/** `12 of 60 ended (1 failed), 8 running, 40 held`. */
export function describeProgress({ counts, members }: Pick<Group, 'counts' | 'members'>): string {
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
  ].join(', ')
}

/** Why the next member does not enter the queue, or why the group ended so, as a sentence; null: nothing prevents it. */
export function describeProblem(
  group: Pick<Group, 'counts' | 'problem' | 'status' | 'awaits_approval' | 'waits_for_others'>,
): string | null {
  const { counts, problem } = group
  if (waitsForApproval(group)) return problem ?? 'A person must approve it.'
  if (problem === null || group.waits_for_others || counts.held + counts.paused === 0) return problem
  return `The next one cannot enter the queue now: ${problem}`
}

/** `lr=0.1 width=64 text='a b'`. */
export const describeParameters = ({
  parameters,
  repeat,
}: Pick<GroupMember, 'parameters' | 'repeat'>): string =>
  [...Object.entries(parameters), ...(repeat > 0 ? [['repeat', repeat]] : [])]
    .map(([name, value]) => `${name}=${quoted(String(value))}`)
    .join(' ')

/** A member in one line. */
export function describeMember(member: GroupMember, metric: string | undefined): string {
  const { index, job_id, objective } = member
  const value = metric === undefined || objective === null ? '' : `${metric} ${objective}, `
  return `${value}${describeParameters(member)} (member ${index}, job ${job_id})`
}

/** The commands after members have failed; none if no member has. */
export function adviseFailed({
  group_id: id,
  counts,
  status,
}: Pick<GroupDetail, 'group_id' | 'counts' | 'status'>): string[] {
  if (counts.failed === 0) return []
  const look = `see what failed: gpuq group ${id} members --status failed, then gpuq why JOB`
  // The members of a cancelled group cannot run again.
  return status === 'cancelled' ? [look] : [look, `run them again: gpuq group ${id} rerun-failed`]
}

const memberColours = { held: 'dim', paused: 'yellow', ...statusColours } as const

/** Why a member does not run, or did not complete. */
const reasonOf = ({ status, reason_text }: GroupMember) =>
  ['pending', 'paused', 'failed', 'cancelled'].includes(status) ? reason_text : null

/** The columns of a table of members. */
export function memberColumns({ objective }: Pick<GroupDetail, 'objective'>): Column<GroupMember>[] {
  return [
    { title: '#', cell: ({ index }) => index, right: true },
    { title: 'PARAMETERS', cell: describeParameters, long: true },
    { title: 'STATUS', cell: ({ status }) => status, colour: ({ status }) => memberColours[status] },
    ...(objective === null
      ? []
      : [
          {
            title: objective.metric.toUpperCase(),
            cell: (member: GroupMember) => metricOf(member, objective.metric) ?? null,
            right: true,
          },
        ]),
    { title: 'SECONDS', cell: runSecondsOf, right: true },
    { title: 'JOB', cell: ({ job_id }) => job_id },
    { title: 'REASON', cell: reasonOf, long: true },
  ]
}
