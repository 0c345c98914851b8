import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import { runSecondsOf } from '@/lib/groups/contract-csv'
import type { Column } from '../console/table'

/** `lr=0.1 width=64`. */
export const describeParameters = ({
  parameters,
  repeat,
}: Pick<GroupMember, 'parameters' | 'repeat'>): string =>
  [...Object.entries(parameters), ...(repeat > 0 ? [['repeat', repeat]] : [])]
    .map(([name, value]) => `${name}=${value}`)
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

/** The columns of a table of members. */
export function memberColumns({ objective }: Pick<GroupDetail, 'objective'>): Column<GroupMember>[] {
  return [
    { title: '#', cell: ({ index }) => index, right: true },
    { title: 'PARAMETERS', cell: describeParameters },
    { title: 'STATUS', cell: ({ status }) => status },
    ...(objective === null
      ? []
      : [
          {
            title: objective.metric.toUpperCase(),
            cell: (member: GroupMember) => member.objective,
            right: true,
          },
        ]),
    { title: 'SECONDS', cell: runSecondsOf, right: true },
    { title: 'JOB', cell: ({ job_id }) => job_id },
  ]
}
