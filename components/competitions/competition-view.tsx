'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import { LoadFailure } from '../shell/load-failure'
import { updateSearchParams } from '../shell/update-search-params'
import { Badge } from '../ui/badge'
import { PartBoundary } from '../ui/missing-part'
import { PageHeader } from '../ui/page-header'
import { Select } from '../ui/select'
import { Skeleton } from '../ui/skeleton'
import { type Tab, Tabs } from '../ui/tabs'
import { useNow } from '../ui/use-now'
import { roleLabels, viewerOf } from './facts'
import { OverviewTab } from './overview-tab'
import { PhaseClock } from './phase-clock'
import { currentPhase } from './phase-times'
import { competitionQuery, invitationsQuery } from './queries'

const loading = () => <Skeleton className="h-96 rounded-lg" />

/** Most visits open one tab. The others are loaded when they are opened. */
const LeaderboardTab = dynamic(
  () => import('./board/leaderboard-tab').then((module) => module.LeaderboardTab),
  { loading },
)
const EntriesTab = dynamic(() => import('./entries/entries-tab').then((module) => module.EntriesTab), {
  loading,
})
const SubmitTab = dynamic(() => import('./submit-tab').then((module) => module.SubmitTab), { loading })
const TeamTab = dynamic(() => import('./team-tab').then((module) => module.TeamTab), { loading })
const ManageTab = dynamic(() => import('./manage/manage-tab').then((module) => module.ManageTab), {
  loading,
})

type TabName = 'overview' | 'leaderboard' | 'entries' | 'submit' | 'team' | 'manage'

interface CompetitionViewProps {
  /** Its `competition_id`. */
  competition: string
  /** The id of the signed-in user; null: nobody has signed in. */
  handle: string | null
}

/** The page of a competition. Visitors without an account see the overview and the leaderboard. */
export function CompetitionView({ competition, handle }: CompetitionViewProps) {
  const { data, error, refetch } = useQuery(competitionQuery(competition))
  if (data) return <LoadedCompetition competition={data} handle={handle} />
  return error ? <LoadFailure error={error} onRetry={() => void refetch()} /> : loading()
}

function LoadedCompetition({
  competition,
  handle,
}: {
  competition: CompetitionDetail
  handle: string | null
}) {
  const { competition_id, title, phases, role, published } = competition
  const params = useSearchParams()
  const phase = usePhase(competition, params.get('phase'))
  const viewer = viewerOf(competition)
  const invited = useQuery({
    ...invitationsQuery(competition_id),
    enabled: viewer.participates,
  }).data?.length
  const open = (changes: { tab?: TabName; phase?: string }) => {
    const next = new URLSearchParams(window.location.search)
    for (const [name, value] of Object.entries(changes)) next.set(name, value)
    if (next.get('tab') === 'overview') next.delete('tab')
    updateSearchParams(next, changes.tab ? 'push' : 'replace')
  }
  const path = `/competitions/${encodeURIComponent(competition_id)}`
  const tabs: Tab<TabName>[] = [
    {
      value: 'overview',
      label: 'Overview',
      content: (
        <OverviewTab
          competition={competition}
          signIn={handle === null ? `/sign-in?next=${encodeURIComponent(path)}` : null}
          onSubmit={() => open({ tab: 'submit' })}
        />
      ),
    },
  ]
  const add = (value: TabName, label: string, content: Tab<TabName>['content'], count?: number) =>
    tabs.push({
      value,
      label,
      content: <PartBoundary>{content}</PartBoundary>,
      ...(count ? { count } : {}),
    })
  if (phase) add('leaderboard', 'Leaderboard', <LeaderboardTab key={phase.key} {...{ competition, phase }} />)
  if (phase && viewer.sends) {
    add('entries', 'My entries', <EntriesTab key={phase.key} {...{ competition, phase }} />)
    add(
      'submit',
      'Submit',
      <SubmitTab
        competition={competition}
        phase={phase}
        onPhase={(key) => open({ phase: key })}
        onSent={(key) => open({ tab: 'entries', phase: key })}
      />,
    )
  }
  if (handle !== null && viewer.participates)
    add('team', 'Team', <TeamTab competition={competition} handle={handle} />, invited)
  if (viewer.isStaff && phase) add('manage', 'Manage', <ManageTab {...{ competition, phase, viewer }} />)
  const tab = tabs.find(({ value }) => value === params.get('tab'))?.value ?? 'overview'
  const hasPhase = tab === 'leaderboard' || tab === 'entries' || tab === 'manage'
  return (
    <>
      <PageHeader
        path={handle === null ? [] : [{ label: 'Competitions', href: '/competitions' }]}
        title={title}
        meta={
          <>
            {phase ? <PhaseClock phase={phase} /> : null}
            {published ? null : <Badge tone="warning">not published</Badge>}
            {role === null || role === 'participant' ? null : <Badge tone="accent">{roleLabels[role]}</Badge>}
          </>
        }
      />
      <Tabs
        label="Parts of the competition"
        tabs={tabs}
        value={tab}
        onValueChange={(value) => open({ tab: value })}
        actions={
          phase && hasPhase && phases.length > 1 ? (
            <Select
              aria-label="Phase"
              className="w-44"
              value={phase.key}
              onValueChange={(key) => open({ phase: key })}
              options={phases.map(({ key, title: label }) => ({ value: key, label }))}
            />
          ) : null
        }
      />
    </>
  )
}

/** The phase of the address, or the current one. */
function usePhase({ phases }: CompetitionDetail, key: string | null): Phase | undefined {
  const minute = useNow(60_000)
  const chosen = phases.find((phase) => phase.key === key)
  if (chosen) return chosen
  return minute === null
    ? (phases.find(({ state }) => state === 'open') ?? phases[0])
    : currentPhase(phases, minute)
}
