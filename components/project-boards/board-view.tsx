'use client'

import { useQuery } from '@tanstack/react-query'
import { Braces, Download, Trophy } from 'lucide-react'
import type { Project } from '@/lib/contract/access/projects'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { ProjectBoard } from '@/lib/project-boards/contract'
import { projectPath } from '../access/project/project-path'
import { Loaded } from '../shell/load-failure'
import { Badge } from '../ui/badge'
import { buttonStyles } from '../ui/button'
import { Callout } from '../ui/callout'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { Panel, PanelHeader } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { BoardSettings } from './board-settings'
import { BoardTable } from './board-table'
import { OwnRowForm } from './own-row-form'
import { boardCsvUrl, boardJsonUrl, projectBoardQuery } from './queries'

interface BoardViewProps {
  project: Pick<Project, 'id' | 'project_id' | 'kind' | 'owner' | 'members' | 'agreed'>
  /** The signed-in user. */
  handle: string
  admin: boolean
}

/** The page of the board of a project: its members by a metric that their jobs report. */
export function BoardView({ project, handle, admin }: BoardViewProps) {
  const { id, project_id, kind, owner, members, agreed } = project
  const query = useQuery(projectBoardQuery(id))
  const editable = admin || owner === handle
  const isMember = members.includes(handle)
  const mustAgree = isMember && kind !== 'private' && !agreed.includes(handle)
  return (
    <>
      <PageHeader
        title={`Leaderboard of ${project_id}`}
        path={[
          { label: 'Projects', href: '/projects' },
          { label: project_id, href: projectPath(id) },
        ]}
        meta={<Badge tone="warning">self-reported</Badge>}
        description="The values are those that the programs of the members print. gpuq does not check them."
      />
      <Loaded query={query} placeholder={<SkeletonRows rows={8} />}>
        {(board) => (
          <div className="flex flex-col gap-4">
            {mustAgree ? (
              <Callout title="You are not on the leaderboard">
                Your row appears after you agree to show your jobs, on the page of the project.
              </Callout>
            ) : null}
            <Panel>
              {board.metric === null ? (
                <NoBoard editable={editable} owner={owner} />
              ) : (
                <Ranking projectId={id} board={board} />
              )}
            </Panel>
            <div className="grid items-start gap-4 lg:grid-cols-2">
              {isMember || owner === handle ? (
                <OwnRowForm projectId={id} handle={handle} own={board.own} />
              ) : null}
              {editable ? <BoardSettings projectId={id} board={board} /> : null}
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

function Ranking({ projectId, board }: { projectId: string; board: ProjectBoard }) {
  return (
    <>
      <PanelHeader
        title={`By ${visibleText(board.metric ?? '', 60)}`}
        description={describeBoard(board)}
        actions={
          <>
            <a href={boardCsvUrl(projectId)} download className={buttonStyles()}>
              <Download aria-hidden />
              CSV
            </a>
            <a href={boardJsonUrl(projectId)} className={buttonStyles()}>
              <Braces aria-hidden />
              JSON
            </a>
          </>
        }
      />
      {board.rows.length > 0 ? (
        <BoardTable board={board} />
      ) : (
        <EmptyState icon={Trophy} title="Nobody is on the leaderboard yet">
          A member appears when a job of theirs is completed that printed a line of JSON with this metric,
          such as{' '}
          <code className="wrap-anywhere font-mono">
            {visibleText(JSON.stringify({ [board.metric ?? '']: 0.5 }), 160)}
          </code>
          .
        </EmptyState>
      )}
    </>
  )
}

/** "The lowest last value of a completed job, with the competition_id cup". */
function describeBoard({ goal, competition_id }: ProjectBoard): string {
  const best = `The ${goal === 'min' ? 'lowest' : 'highest'} last value of a completed job`
  return competition_id === null ? best : `${best}, with the competition_id ${competition_id}`
}

function NoBoard({ editable, owner }: { editable: boolean; owner: string }) {
  return (
    <EmptyState icon={Trophy} title="This project has no leaderboard">
      {editable
        ? 'Choose a metric in the settings below. The members then see who has the best value.'
        : `The owner of the project, ${owner}, can choose a metric for one.`}
    </EmptyState>
  )
}
