import { useQuery } from '@tanstack/react-query'
import { Braces, Download, Snowflake, Trophy } from 'lucide-react'
import { useState } from 'react'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import type { Board } from '@/lib/competitions/contract-boards'
import { Loaded } from '../../shell/load-failure'
import { TextFilter } from '../../shell/text-filter'
import { buttonStyles } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { EmptyState } from '../../ui/empty-state'
import { formatCount } from '../../ui/format-number'
import { Panel, PanelHeader } from '../../ui/panel'
import { SkeletonRows } from '../../ui/skeleton'
import { boardCsvUrl, boardJsonUrl, boardQuery } from '../queries'
import { ZonedTime } from '../zoned-time'
import { BoardTable } from './board-table'

interface LeaderboardTabProps {
  competition: CompetitionDetail
  phase: Phase
}

/** The leaderboard of a phase, live. */
export function LeaderboardTab({ competition, phase }: LeaderboardTabProps) {
  const { competition_id, timezone } = competition
  const [q, setQ] = useState('')
  const request = { competition: competition_id, phase: phase.key, q }
  const query = useQuery(boardQuery(request))
  const board = query.data
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {board ? <Notice board={board} phase={phase} zone={timezone} /> : null}
      <Panel>
        <PanelHeader
          title={board?.revealed ? 'Final leaderboard' : 'Leaderboard'}
          description={board ? `${formatCount(board.total, 'row')}${q === '' ? '' : ` with “${q}”`}` : null}
          actions={
            <>
              <TextFilter
                label="Find a team"
                value={q}
                accepts={(text) => text.length <= 60}
                onValue={setQ}
              />
              <a href={boardCsvUrl(competition_id, phase.key)} download className={buttonStyles()}>
                <Download aria-hidden />
                CSV
              </a>
              <a href={boardJsonUrl(competition_id, phase.key)} className={buttonStyles()}>
                <Braces aria-hidden />
                JSON
              </a>
            </>
          }
        />
        <Loaded query={query} placeholder={<SkeletonRows rows={8} />} failureClass="m-4">
          {(shown) =>
            shown.total > 0 ? (
              <BoardTable request={request} board={shown} />
            ) : (
              <NoRows searched={q !== ''} isFinal={shown.revealed || shown.frozen_at !== null} />
            )
          }
        </Loaded>
      </Panel>
    </div>
  )
}

/** @param isFinal no entry comes to the board any more, because it is frozen or revealed */
function NoRows({ searched, isFinal }: { searched: boolean; isFinal: boolean }) {
  if (searched)
    return (
      <EmptyState icon={Trophy} title="No team has this name">
        The search looks for a part of the name.
      </EmptyState>
    )
  return isFinal ? (
    <EmptyState icon={Trophy} title="No entry is on this leaderboard" />
  ) : (
    <EmptyState icon={Trophy} title="No entry has a score yet">
      The first entry that is scored appears here by itself.
    </EmptyState>
  )
}

/** Says which entries the board has, where these are not all. */
function Notice({ board, phase, zone }: { board: Board; phase: Phase; zone: string }) {
  if (board.revealed)
    return (
      <Callout tone="success" icon={Trophy} title="These are the final results">
        Everybody sees the private columns now.
      </Callout>
    )
  if (board.frozen_at !== null)
    return (
      <Callout icon={Snowflake} title="The leaderboard is frozen">
        It has the entries received before <ZonedTime at={board.frozen_at} zone={zone} />. Later entries count
        in the final results.
      </Callout>
    )
  if (phase.freeze_at === null) return null
  if (phase.frozen)
    return (
      <Callout icon={Snowflake} title="The leaderboard is frozen for participants">
        They see the entries received before <ZonedTime at={phase.freeze_at} zone={zone} />. You see the live
        leaderboard.
      </Callout>
    )
  return (
    <p className="text-muted text-sm">
      The leaderboard freezes at <ZonedTime at={phase.freeze_at} zone={zone} />. Later entries count in the
      final results.
    </p>
  )
}
