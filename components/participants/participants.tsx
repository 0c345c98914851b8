import { useQuery } from '@tanstack/react-query'
import { Download, KeyRound, Users } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { participantsCsvUrl, participantsQuery } from '@/components/participants/queries'
import type { Project } from '@/lib/contract/access/projects'
import { bestValues } from '@/lib/metrics/contract-best-value'
import type { Participants as Answer } from '@/lib/participants/contract'
import { TokenBatchDialog } from '../people/token-batch-dialog'
import { Loaded } from '../shell/load-failure'
import { updateSearchParams } from '../shell/update-search-params'
import { Button } from '../ui/button'
import { ButtonLink } from '../ui/button-link'
import { EmptyState } from '../ui/empty-state'
import { formatCount } from '../ui/format-number'
import { Link } from '../ui/link'
import { Panel, PanelHeader } from '../ui/panel'
import { Segmented } from '../ui/segmented'
import { Select } from '../ui/select'
import { SkeletonRows } from '../ui/skeleton'
import { type ParticipantsView, readView, writeView } from './participants-request'
import { ParticipantsTable } from './participants-table'

/** The members of a class with their jobs and best values, for its owner, its managers and admins. */
export function Participants({ project }: { project: Project }) {
  const view = readView(new URLSearchParams(useSearchParams()))
  const { metric, best } = view
  const request = metric === null ? {} : { metric, best }
  const query = useQuery(participantsQuery(project.id, request))
  const change = (changes: Partial<ParticipantsView>) =>
    updateSearchParams(
      writeView(new URLSearchParams(window.location.search), { ...view, ...changes }),
      'replace',
    )
  return (
    <Panel>
      <PanelHeader
        title="Participants"
        description="You see the jobs of members who have agreed to it."
        actions={
          <>
            <TokenBatchDialog
              project={project}
              trigger={<Button icon={KeyRound}>Tokens for participants</Button>}
            />
            <ButtonLink
              icon={Download}
              href={participantsCsvUrl(project.id, request)}
              prefetch={false}
              download
            >
              CSV
            </ButtonLink>
          </>
        }
      />
      <Loaded query={query} placeholder={<SkeletonRows rows={6} />} failureClass="m-4">
        {({ participants, metrics }) =>
          participants.length === 0 ? (
            <EmptyState icon={Users} title="Nobody has joined yet">
              Create a <Link href="#join-links">join link</Link> on this page, and show it to the
              participants.
            </EmptyState>
          ) : (
            <>
              <MetricChoice metrics={metrics} view={view} onChange={change} />
              <Advice participants={participants} metrics={metrics} />
              <ParticipantsTable
                participants={participants}
                view={view}
                onSort={(sort, ascending) => change({ sort, ascending })}
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

const noMetric = 'none'

interface MetricChoiceProps {
  metrics: readonly string[]
  view: ParticipantsView
  onChange: (changes: Partial<ParticipantsView>) => void
}

/** Chooses the metric, and which of its values is the best. */
function MetricChoice({ metrics, view: { metric, best }, onChange }: MetricChoiceProps) {
  if (metrics.length === 0 && metric === null) return null
  // A link may name a metric that no job has any more.
  const names = metric === null || metrics.includes(metric) ? metrics : [metric, ...metrics]
  const options = [
    { value: noMetric, label: 'No metric' },
    ...names.map((name) => ({ value: `metric ${name}`, label: name })),
  ]
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
      <Select
        aria-label="Metric"
        className="w-56 max-w-full"
        options={options}
        value={metric === null ? noMetric : `metric ${metric}`}
        onValueChange={(value) =>
          onChange(
            value === noMetric
              ? { metric: null, sort: 'user', ascending: true }
              : { metric: value.slice('metric '.length) },
          )
        }
      />
      {metric === null ? null : (
        <Segmented
          label="Best value"
          value={best}
          onValueChange={(chosen) => onChange({ best: chosen })}
          options={bestValues.map((value) => ({ value, label: `${value} is best` }))}
        />
      )}
    </div>
  )
}

/** Says what to do next while there is little to see. */
function Advice({ participants, metrics }: Answer) {
  const silent = participants.filter(({ agreed }) => !agreed).length
  const noJobs = participants.every(({ last_job }) => last_job === null)
  const sentences = [
    silent === 0
      ? null
      : `${formatCount(silent, 'member')} ${silent === 1 ? 'has' : 'have'} not agreed yet: they agree on the page of this project.`,
    noJobs ? 'There are no jobs yet: give the participants a config with a token.' : null,
    !noJobs && metrics.length === 0
      ? 'The jobs printed no metrics. A line of JSON with a number, such as {"loss": 0.5}, makes one.'
      : null,
  ].filter((sentence) => sentence !== null)
  return sentences.length === 0 ? null : (
    <p className="border-b px-4 py-2 text-muted text-sm">{sentences.join(' ')}</p>
  )
}
