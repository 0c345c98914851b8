'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Trophy } from 'lucide-react'
import type { Competition } from '@/lib/competitions/contract'
import { ListPanel } from '../shell/list-panel'
import { Badge } from '../ui/badge'
import { CodeBlock } from '../ui/code-block'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { type Column, DataTable, RowLink } from '../ui/table'
import { useNow } from '../ui/use-now'
import { PhaseClock } from './phase-clock'
import { currentPhase } from './phase-times'
import { competitionsQuery } from './queries'

const columns: readonly Column<Competition>[] = [
  {
    label: 'Competition',
    kind: 'title',
    cell: ({ competition_id, title, published }) => (
      <span className="flex min-w-0 flex-col">
        <span className="flex flex-wrap items-center gap-2">
          <RowLink href={`/competitions/${encodeURIComponent(competition_id)}`} className="wrap-anywhere">
            {title}
          </RowLink>
          {published ? null : <Badge tone="warning">not published</Badge>}
        </span>
        <span className="truncate text-subtle text-xs">{competition_id}</span>
      </span>
    ),
  },
  { label: 'Phase', cell: (competition) => <CurrentPhase phases={competition.phases} /> },
  { label: 'You', cell: (competition) => <OwnPart {...competition} /> },
]

/** The page Competitions. */
export function CompetitionList() {
  return (
    <>
      <PageHeader
        title="Competitions"
        description="Send programs that run on hidden data, and see where they rank. Assignments of a class are competitions too."
      />
      <ListPanel query={useInfiniteQuery(competitionsQuery())} empty={<NoCompetitions />}>
        {(competitions) => (
          <DataTable
            caption="Competitions"
            columns={columns}
            items={competitions}
            keyOf={({ competition_id }) => competition_id}
          />
        )}
      </ListPanel>
    </>
  )
}

function CurrentPhase({ phases }: Pick<Competition, 'phases'>) {
  const now = useNow(1000)
  const phase = now === null ? phases[0] : currentPhase(phases, now)
  if (!phase) return '–'
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {phases.length > 1 ? <span className="wrap-anywhere">{phase.title}</span> : null}
      <PhaseClock phase={phase} variant="plain" />
    </span>
  )
}

function OwnPart({ role, state }: Pick<Competition, 'role' | 'state'>) {
  if (state === 'requested') return <Badge tone="info">asked to join</Badge>
  if (role === null) return <span className="text-subtle">not joined</span>
  return <Badge tone={role === 'participant' ? 'success' : 'accent'}>{roleLabels[role]}</Badge>
}

const roleLabels = {
  host: 'host',
  instructor: 'instructor',
  ta: 'TA',
  participant: 'joined',
  observer: 'observer',
} as const

function NoCompetitions() {
  return (
    <div className="pb-8">
      <EmptyState icon={Trophy} title="No competitions yet" className="pb-6">
        To take part in one that is not listed here, ask its host for the link. To host one, describe it in
        competition.yaml and publish its directory. An admin gives the right to host.
      </EmptyState>
      <div className="mx-auto w-full max-w-2xl px-4">
        <CodeBlock
          label="gpuq competition create command"
          title="From a terminal"
          code={'gpuq competition check DIR\ngpuq competition create DIR'}
          wrap
        />
      </div>
    </div>
  )
}
