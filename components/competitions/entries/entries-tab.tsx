import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useMemo } from 'react'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import { ListPanel } from '../../shell/list-panel'
import { Callout } from '../../ui/callout'
import { EmptyState } from '../../ui/empty-state'
import { PanelHeader } from '../../ui/panel'
import { entriesQuery, quotaQuery } from '../queries'
import { EntryTable } from './entry-table'
import { QuotaPanel } from './quota-panel'

interface EntriesTabProps {
  competition: CompetitionDetail
  phase: Phase
}

/** The entries of the viewer's team in a phase, live. */
export function EntriesTab({ competition, phase }: EntriesTabProps) {
  const { competition_id, columns } = competition
  const query = useInfiniteQuery(entriesQuery(competition_id, phase.key, {}))
  const { data: own } = useQuery(quotaQuery(competition_id, phase.key))
  const ahead = useMemo(() => new Map(own?.waiting.map((waiting) => [waiting.id, waiting.ahead])), [own])
  const chosen = query.data?.pages.flatMap(({ items }) => items.filter((entry) => entry.chosen)).length ?? 0
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <QuotaPanel competition={competition} phase={phase} />
      {phase.select === 'chosen' ? (
        <Callout title={`${chosen} of ${phase.choose} entries chosen for the final results`}>
          Choose them in the menu of an entry. Without a choice, the best ones by the leaderboard count.
        </Callout>
      ) : null}
      <ListPanel
        query={query}
        header={
          <PanelHeader
            title="Entries"
            description={phase.logs === 'none' ? 'Only rehearsals show what they print.' : 'Newest first.'}
          />
        }
        empty={
          <EmptyState icon={Send} title="No entries yet">
            Send solution.py under Submit. What happens to it appears here.
          </EmptyState>
        }
      >
        {(entries) => <EntryTable entries={entries} phase={phase} columns={columns} ahead={ahead} />}
      </ListPanel>
    </div>
  )
}
