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
