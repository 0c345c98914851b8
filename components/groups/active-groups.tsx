import { useQuery } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { formatCount, formatNumber } from '../ui/format-number'
import { Link } from '../ui/link'
import { groupTitle } from './group-title'
import { countEnded } from './member-status'
import { activeGroupsQuery } from './queries'

const maxNamed = 3

/** Leads from the list of jobs, which has no members, to the groups that have not ended. */
export function ActiveGroups({ everyone }: { everyone: boolean }) {
  const { data } = useQuery(activeGroupsQuery(everyone))
  const groups = data?.items ?? []
  if (groups.length === 0) return null
  const named = groups.slice(0, maxNamed)
  return (
    <p className="mb-3 flex items-start gap-2 text-muted text-sm">
      <Layers aria-hidden className="mt-0.5 size-4 shrink-0 text-subtle" />
      <span className="min-w-0 wrap-anywhere">
        {data?.next ? `${formatNumber(groups.length)}+ groups` : formatCount(groups.length, 'group')}{' '}
        {groups.length === 1 ? 'runs' : 'run'}:{' '}
        {named.map((group, at) => (
          <span key={group.group_id}>
            {at > 0 ? ', ' : ''}
            <Link href={`/groups/${group.group_id}`}>{groupTitle(group)}</Link>{' '}
            <span className="tabular-nums">
              {formatNumber(countEnded(group))} of {formatNumber(group.members)}
            </span>
          </span>
        ))}
        {groups.length > maxNamed ? (
          <>
            , <Link href={everyone ? '/groups?all=true' : '/groups'}>and more</Link>
          </>
        ) : null}
      </span>
    </p>
  )
}
