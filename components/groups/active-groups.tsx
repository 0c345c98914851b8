import { useQuery } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { Fragment } from 'react'
import type { Group } from '@/lib/groups/contract'
import { groupTitle, waitLabel } from '@/lib/groups/contract-title'
import { formatCount, formatNumber } from '../ui/format-number'
import { Link } from '../ui/link'
import { countEnded } from './member-status'
import { activeGroupsQuery } from './queries'

const maxNamed = 3

/** Where groups are that have not ended, and what one and what several do. */
const states = [
  { wait: null, verbs: ['runs', 'run'] },
  { wait: 'Waits for others', verbs: ['waits for others', 'wait for others'] },
  { wait: 'Waits for approval', verbs: ['waits for an approval', 'wait for an approval'] },
] as const

/** Leads from the list of jobs, which has no members, to the groups that have not ended. */
export function ActiveGroups({ everyone }: { everyone: boolean }) {
  const { data } = useQuery(activeGroupsQuery(everyone))
  const groups = data?.items ?? []
  if (groups.length === 0) return null
  const parts = states
    .map(({ wait, verbs }) => ({ verbs, groups: groups.filter((group) => waitLabel(group) === wait) }))
    .filter((part) => part.groups.length > 0)
  const rest = { isMore: data?.next != null, href: everyone ? '/groups?all=true' : '/groups' }
  return (
    <p className="mb-3 flex items-start gap-2 text-muted text-sm">
      <Layers aria-hidden className="mt-0.5 size-4 shrink-0 text-subtle" />
      <span className="min-w-0 wrap-anywhere">
        {parts.map((part, at) => (
          <Fragment key={part.verbs[0]}>
            {at > 0 ? '. ' : null}
            <Named {...part} {...rest} />
          </Fragment>
        ))}
      </span>
    </p>
  )
}

interface NamedProps {
  groups: readonly Group[]
  verbs: readonly [one: string, several: string]
  /** There are others that the page does not know. */
  isMore: boolean
  /** The page that has all. */
  href: string
}

function Named({ groups, verbs: [one, several], isMore, href }: NamedProps) {
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
