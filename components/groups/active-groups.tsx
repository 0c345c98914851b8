import { useQuery } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import type { Group } from '@/lib/groups/contract'
import { groupTitle, waitsForApproval } from '@/lib/groups/contract-title'
import { formatCount, formatNumber } from '../ui/format-number'
import { Link } from '../ui/link'
import { countEnded } from './member-status'
import { activeGroupsQuery } from './queries'

const maxNamed = 3

/** Leads from the list of jobs, which has no members, to the groups that have not ended. */
export function ActiveGroups({ everyone }: { everyone: boolean }) {
  const { data } = useQuery(activeGroupsQuery(everyone))
  const groups = data?.items ?? []
  if (groups.length === 0) return null
  const waiting = groups.filter(waitsForApproval)
  const running = groups.filter((group) => !waitsForApproval(group))
  const rest = { isMore: data?.next != null, href: everyone ? '/groups?all=true' : '/groups' }
  return (
    <p className="mb-3 flex items-start gap-2 text-muted text-sm">
      <Layers aria-hidden className="mt-0.5 size-4 shrink-0 text-subtle" />
      <span className="min-w-0 wrap-anywhere">
        <Named groups={running} verbs={['runs', 'run']} {...rest} />
        {running.length > 0 && waiting.length > 0 ? '. ' : null}
        <Named groups={waiting} verbs={['waits for an approval', 'wait for an approval']} {...rest} />
      </span>
    </p>
  )
}

interface NamedProps {
  groups: readonly Group[]
  /** What one and what several do. */
  verbs: readonly [one: string, several: string]
  /** There are others that the page does not know. */
  isMore: boolean
  /** The page that has all. */
  href: string
}

function Named({ groups, verbs: [one, several], isMore, href }: NamedProps) {
  if (groups.length === 0) return null
  return (
    <>
      {isMore ? `${formatNumber(groups.length)}+ groups` : formatCount(groups.length, 'group')}{' '}
      {groups.length === 1 && !isMore ? one : several}:{' '}
      {groups.slice(0, maxNamed).map((group, at) => (
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
          , <Link href={href}>and more</Link>
        </>
      ) : null}
    </>
  )
}
