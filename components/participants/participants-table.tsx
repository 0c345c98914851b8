import type { Participant } from '@/lib/participants/contract'
import { formatHours } from '../accounting/format-usage'
import { JobStatus } from '../jobs/job-status'
import { jobTitle } from '../jobs/job-title'
import { formatMetric } from '../jobs/list/job-cell'
import { Person } from '../shell/person'
import { Badge } from '../ui/badge'
import { formatNumber } from '../ui/format-number'
import { Link } from '../ui/link'
import { RelativeTime } from '../ui/relative-time'
import { SortHeader } from '../ui/sort-header'
import { Cell, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { type ParticipantKey, type ParticipantsView, sortParticipants } from './participants-request'

interface ParticipantsTableProps {
  participants: readonly Participant[]
  view: ParticipantsView
  onSort: (sort: ParticipantKey, ascending: boolean) => void
}

/** The members of a class, each with what their jobs show. */
export function ParticipantsTable({ participants, view, onSort }: ParticipantsTableProps) {
  const ofMetric =
    view.metric === null ? null : `${view.best === 'lowest' ? 'Lowest' : 'Highest'} ${view.metric}`
  const headings: readonly (readonly [ParticipantKey, string])[] = [
    ['user', 'Participant'],
    ['last_job', 'Last job'],
    ['jobs', 'Jobs'],
    ['gpu_hours', 'GPU hours'],
    ...(ofMetric === null ? [] : ([['best', ofMetric]] as const)),
  ]
  return (
    <Table caption="Participants">
      <TableHead>
        {headings.map(([key, label]) => (
          <SortHeader
            key={key}
            label={label}
            end={key !== 'user' && key !== 'last_job'}
            ascending={view.sort === key ? view.ascending : null}
            onSort={(ascending) => onSort(key, ascending)}
          />
        ))}
      </TableHead>
      <TableBody>
        {sortParticipants(participants, view).map((participant) => (
          <TableRow key={participant.user_id}>
            <Cell className="font-medium">
              <span className="flex min-w-0 flex-wrap items-center gap-1.5">
                <Person handle={participant.user_id} name={participant.name} />
                {participant.manager ? <Badge>manager</Badge> : null}
              </span>
            </Cell>
            <Cell label="Last job">
              <LastJob participant={participant} />
            </Cell>
            <Cell label="Jobs" align="end">
              {participant.jobs === null ? '–' : formatNumber(participant.jobs)}
            </Cell>
            <Cell label="GPU hours" align="end">
              {participant.gpu_hours === null ? '–' : formatHours(participant.gpu_hours)}
            </Cell>
            {ofMetric === null ? null : (
              <Cell label={ofMetric} align="end">
                <BestValue participant={participant} />
              </Cell>
            )}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}

function LastJob({ participant: { agreed, last_job: last } }: { participant: Participant }) {
  const note = agreed ? null : <span className="text-muted">has not agreed yet</span>
  if (last === null) return note ?? <span className="text-muted">no jobs yet</span>
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <Link href={`/jobs/${last.job_id}`} variant="quiet" className="wrap-anywhere">
        {jobTitle(last)}
      </Link>
      <JobStatus state={last.status} variant="plain" />
      <RelativeTime at={last.created_at} className="text-muted text-xs" />
      {note}
    </span>
  )
}

function BestValue({ participant: { best } }: { participant: Participant }) {
  if (best === null) return '–'
  return (
    <Link href={`/jobs/${best.job_id}`} variant="quiet">
      {formatMetric(best.value)}
    </Link>
  )
}
