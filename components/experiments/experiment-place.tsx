'use client'

import { useQuery } from '@tanstack/react-query'
import type { JobDetail } from '@/lib/contract/jobs'
import type { Experiment } from '@/lib/experiments/contract'
import { comparePath } from '../jobs/compare-path'
import { formatCount } from '../ui/format-number'
import { Link } from '../ui/link'
import { Panel } from '../ui/panel'
import { ExperimentLink } from './experiment-link'
import { experimentsPath } from './experiments-path'
import { placeQuery } from './queries'

interface ExperimentPlaceProps extends Pick<Experiment, 'kind' | 'id'> {
  of: Pick<JobDetail, 'parent' | 'hypothesis' | 'followers' | 'project_id'>
}

/** On the page of a job or a group: its hypothesis, what it follows, and what follows it. Nothing if it is no experiment. */
export function ExperimentPlace({ kind, id, of }: ExperimentPlaceProps) {
  const { parent, hypothesis, followers } = of
  const isLinked = parent !== null || followers > 0
  if (!isLinked && hypothesis === null) return null
  return (
    <Panel className="gap-1 px-4 py-2 text-sm">
      {hypothesis === null ? null : (
        <p className="wrap-anywhere">
          <span className="text-muted">Hypothesis:</span> {hypothesis}
        </p>
      )}
      {isLinked ? <Relatives kind={kind} id={id} of={of} /> : null}
    </Panel>
  )
}

function Relatives({ kind, id, of }: ExperimentPlaceProps) {
  const { data } = useQuery(placeQuery(id, of.followers))
  if (!data) return null
  const { follows, followed_by: followedBy, followers, parent_deleted } = data
  const more = followers - followedBy.length
  return (
    <p className="wrap-anywhere text-muted">
      {parent_deleted ? 'Follows an experiment that was deleted. ' : null}
      {follows === null ? null : (
        <>
          Follows <ExperimentLink experiment={follows} />
          {kind === 'job' && follows.kind === 'job' ? (
            <>
              {' '}
              (<Link href={comparePath([follows.id, id])}>compare with it</Link>)
            </>
          ) : null}
          .{' '}
        </>
      )}
      {followedBy.length === 0 ? null : (
        <>
          Followed by{' '}
          {followedBy.map((one, at) => (
            <span key={one.id}>
              {at > 0 ? ', ' : ''}
              <ExperimentLink experiment={one} />
            </span>
          ))}
          {more > 0 ? (
            <>
              {' '}
              and <Link href={experimentsPath(of.project_id)}>{formatCount(more, 'other')}</Link>
            </>
          ) : null}
          .
        </>
      )}
    </p>
  )
}
