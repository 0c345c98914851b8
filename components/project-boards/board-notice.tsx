import { useQuery } from '@tanstack/react-query'
import { Trophy } from 'lucide-react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { ProjectBoard } from '@/lib/project-boards/contract'
import { ButtonLink } from '../ui/button-link'
import { Panel, PanelBody } from '../ui/panel'
import { boardPath } from './board-path'
import { projectBoardQuery } from './queries'

interface BoardNoticeProps {
  projectId: string
  /** The user may choose the metric of a board. */
  editable: boolean
}

/** On the page of a project: that it has a board, and whether the user is on it. Nothing for members of a project without one. */
export function BoardNotice({ projectId, editable }: BoardNoticeProps) {
  const board = useQuery(projectBoardQuery(projectId)).data
  if (!board || (board.metric === null && !editable)) return null
  return (
    <Panel>
      <PanelBody className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 base:py-2.5">
        <div className="min-w-0 flex-1 basis-48">
          <h2 className="font-semibold text-ink text-sm">Leaderboard</h2>
          <p className="wrap-anywhere text-muted text-xs">{describeNotice(board)}</p>
        </div>
        <ButtonLink icon={Trophy} href={boardPath(projectId)}>
          {board.metric === null ? 'Set up a leaderboard' : 'Open the leaderboard'}
        </ButtonLink>
      </PanelBody>
    </Panel>
  )
}

function describeNotice({ metric, rows, own }: ProjectBoard): string {
  if (metric === null) return 'The members by the best value of a metric that their jobs print'
  const board = `The members by their best ${visibleText(metric, 60)}, self-reported.`
  const row = rows.find((candidate) => candidate.own)
  if (own.hidden) return `${board} You stay off it.`
  return row ? `${board} You are on it as ${row.member}, with rank ${row.rank}.` : board
}
