import { TriangleAlert } from 'lucide-react'
import dynamic from 'next/dynamic'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import { Callout } from '../ui/callout'
import { CodeBlock } from '../ui/code-block'
import { DataList, Datum } from '../ui/data-list'
import { formatBytes, formatCount, formatNumber } from '../ui/format-number'
import { PartBoundary } from '../ui/missing-part'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { Skeleton } from '../ui/skeleton'
import { type Column, DataTable } from '../ui/table'
import { describeLate, describeQuota, describeRun, describeSelection } from './facts'
import { JoinPanel } from './join-panel'
import { PhaseClock } from './phase-clock'
import { ZonedTime } from './zoned-time'

/** The parser of Markdown is larger than the page. */
const MarkdownText = dynamic(
  () => import('../artifacts/markdown-text').then((module) => module.MarkdownText),
  { loading: () => <Skeleton className="m-4 h-32" /> },
)

interface OverviewTabProps {
  competition: CompetitionDetail
  signIn: string | null
  /** Opens the tab that submits. */
  onSubmit: () => void
}

/** What a competition is about, when it takes place, and how to join. */
export function OverviewTab({ competition, signIn, onSubmit }: OverviewTabProps) {
  const { pages, phases, datasets, timezone } = competition
  return (
    // A narrow window shows how to join, the text and the dates in this order.
    <div className="grid min-w-0 gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
      <div className="flex min-w-0 flex-col gap-4 empty:hidden lg:col-start-2">
        {competition.published ? null : <Unpublished competition={competition} />}
        <JoinPanel competition={competition} signIn={signIn} onSubmit={onSubmit} />
      </div>
      <div className="flex min-w-0 flex-col gap-4 lg:col-start-1 lg:row-span-2 lg:row-start-1">
        {pages.map((page) => (
          <Panel key={page.name}>
            <PanelHeader title={page.title} />
            <PartBoundary>
              <MarkdownText text={withoutTitle(page)} />
            </PartBoundary>
          </Panel>
        ))}
        {pages.length === 0 ? (
          <p className="text-muted text-sm">The host has not written a description yet.</p>
        ) : null}
        {datasets.length > 0 ? (
          <Panel>
            <PanelHeader
              title="Data"
              description="A program reads it at /data/NAME. In a rehearsal, the sample replaces the hidden data, at the same place."
            />
            <DataTable caption="Data" columns={datasetColumns} items={datasets} keyOf={({ name }) => name} />
          </Panel>
        ) : null}
      </div>
      <div className="flex min-w-0 flex-col gap-4 lg:col-start-2">
        {phases.map((phase) => (
          <PhasePanel key={phase.key} phase={phase} zone={timezone} />
        ))}
        <Facts competition={competition} />
      </div>
    </div>
  )
}

/** The text of a page without the heading that is its title. */
function withoutTitle({ title, text }: CompetitionDetail['pages'][number]): string {
  const [first = '', ...rest] = text.trimStart().split('\n')
  return first.replace(/^# +/, '').trim() === title ? rest.join('\n') : text
}

/** What a host still has to do before others see the competition. */
export function Unpublished({ competition: { missing } }: Pick<OverviewTabProps, 'competition'>) {
  return (
    <Callout tone="warning" icon={TriangleAlert} title="Not published: only its hosts see it">
      {missing.length > 0 ? (
        <ul className="my-1 list-disc pl-5">
          {missing.map((part) => (
            <li key={part} className="wrap-anywhere">
              {part}
            </li>
          ))}
        </ul>
      ) : null}
      <CodeBlock
        label="gpuq competition create command"
        title="Add it from the directory of competition.yaml"
        code="gpuq competition create ."
        wrap
        className="mt-2"
      />
    </Callout>
  )
}

const datasetRoles = {
  public: 'public: every program reads it',
  sample: 'sample: for rehearsals',
  input: 'hidden: only entries read it',
  labels: 'labels: only the scoring program reads it',
} as const

const datasetColumns: readonly Column<CompetitionDetail['datasets'][number]>[] = [
  {
    label: 'Name',
    kind: 'title',
    cell: ({ name, version }) => (
      <span className="font-mono wrap-anywhere">
        {name}@{version}
      </span>
    ),
  },
  { label: 'Role', cell: ({ role }) => datasetRoles[role] },
  { label: 'Files', align: 'end', cell: ({ files }) => formatNumber(files) },
  { label: 'Size', align: 'end', cell: ({ bytes }) => formatBytes(bytes) },
]

function PhasePanel({ phase, zone }: { phase: Phase; zone: string }) {
  return (
    <Panel>
      <PanelHeader title={phase.title} actions={<PhaseClock phase={phase} />} />
      <PanelBody>
        <DataList className="grid-cols-2">
          <Datum label="Starts">
            <ZonedTime at={phase.starts_at} zone={zone} />
          </Datum>
          <Datum label="Ends">
            <ZonedTime at={phase.ends_at} zone={zone} />
          </Datum>
          {phase.freeze_at === null ? null : (
            <Datum label="Leaderboard freezes">
              <ZonedTime at={phase.freeze_at} zone={zone} />
            </Datum>
          )}
          <Datum label="Entries of a team">{describeQuota(phase.quota)}</Datum>
          <Datum label="Late entries">{describeLate(phase)}</Datum>
          {phase.points === null ? null : (
            <Datum label="Points">{`A score of 1 is ${formatCount(phase.points, 'point')}`}</Datum>
          )}
          <Datum label="Each entry gets">{describeRun(phase.run)}</Datum>
          <Datum label="What counts">{describeSelection(phase)}</Datum>
          <Datum label="Writes to /results">
            <span className="wrap-anywhere">{phase.outputs.join(', ') || '–'}</span>
          </Datum>
          <Datum label="Output that you see">
            {phase.logs === 'own' ? 'That of your entries' : 'Only that of rehearsals'}
          </Datum>
        </DataList>
      </PanelBody>
    </Panel>
  )
}

function Facts({
  competition: { competition_id, teams, team_max, join },
}: Pick<OverviewTabProps, 'competition'>) {
  return (
    <Panel>
      <PanelHeader title="About" />
      <PanelBody>
        <DataList className="grid-cols-2">
          <Datum label="competition_id">
            <span className="font-mono wrap-anywhere">{competition_id}</span>
          </Datum>
          <Datum label="Teams">{formatNumber(teams)}</Datum>
          <Datum label="Largest team">{team_max === 1 ? 'One person' : `${team_max} people`}</Datum>
          <Datum label="Joining">{joinLabels[join]}</Datum>
        </DataList>
      </PanelBody>
    </Panel>
  )
}

const joinLabels = {
  open: 'Open to everybody',
  approve: 'By approval',
  roster: 'By roster',
} as const satisfies Record<CompetitionDetail['join'], string>
