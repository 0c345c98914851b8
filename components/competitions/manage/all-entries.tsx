import { useInfiniteQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import type { Entry } from '@/lib/competitions/contract-entries'
import { ListPanel } from '../../shell/list-panel'
import { TextFilter } from '../../shell/text-filter'
import { EmptyState } from '../../ui/empty-state'
import { PanelHeader } from '../../ui/panel'
import { Select } from '../../ui/select'
import { EntryTable } from '../entries/entry-table'
import type { Viewer } from '../facts'
import { entriesQuery, isUnfinished } from '../queries'

const filters = {
  all: { label: 'All states', accepts: () => true },
  unfinished: { label: 'Not finished', accepts: isUnfinished },
  scored: {
    label: 'Scored',
    accepts: ({ state, kind }: Entry) => state === 'scored' && kind !== 'rehearsal',
  },
  failed: { label: 'Failed', accepts: ({ state }: Entry) => state === 'failed' },
  scorer: {
    label: 'Scoring failed',
    accepts: ({ cause }: Entry) => cause === 'scorer',
  },
  disqualified: { label: 'Disqualified', accepts: ({ disqualified }: Entry) => disqualified !== null },
} as const

type Filter = keyof typeof filters

interface AllEntriesProps {
  competition: CompetitionDetail
  phase: Phase
  viewer: Viewer
}

/** The entries of all teams in a phase. */
export function AllEntries({ competition, phase, viewer }: AllEntriesProps) {
  const [team, setTeam] = useState('')
  const [filter, setFilter] = useState<Filter>('all')
  const query = useInfiniteQuery(entriesQuery(competition.competition_id, phase.key, { all: true, team }))
  const staff = useMemo(() => ({ mayDisqualify: viewer.isHost }), [viewer.isHost])
  return (
    <ListPanel
      query={query}
      header={
        <PanelHeader
          title="Entries of all teams"
          description={`In ${phase.title}, newest first.`}
          actions={
            <>
              <TextFilter label="Team" value={team} accepts={(text) => text.length <= 60} onValue={setTeam} />
              <Select
                aria-label="Entries with the state"
                className="w-36"
                value={filter}
                onValueChange={setFilter}
                options={Object.entries(filters).map(([value, { label }]) => ({
                  value: value as Filter,
                  label,
                }))}
              />
            </>
          }
        />
      }
      empty={
        <EmptyState icon={Send} title={team === '' ? 'No entries yet' : 'This team has sent no entries'}>
          {team === '' ? 'They appear here when teams send programs.' : 'Write the whole name of the team.'}
        </EmptyState>
      }
    >
      {(entries) => {
        const shown = entries.filter(filters[filter].accepts)
        return shown.length > 0 ? (
          <EntryTable entries={shown} phase={phase} columns={competition.columns} staff={staff} />
        ) : (
          <p className="px-4 py-6 text-center text-muted text-sm">
            None of the loaded entries has this state.
          </p>
        )
      }}
    </ListPanel>
  )
}
