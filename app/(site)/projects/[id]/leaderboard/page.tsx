import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { boardPath } from '@/components/project-boards/board-path'
import { BoardView } from '@/components/project-boards/board-view'
import { isAdmin } from '@/lib/access/actor'
import { getProject } from '@/lib/access/projects/projects'
import { nullIfNotFound } from '../../../null-if-not-found'
import { requireActor } from '../../../require-actor'

export const metadata: Metadata = { title: 'Leaderboard' }

export default async function LeaderboardPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  const actor = await requireActor(boardPath(id))
  const project = await nullIfNotFound(getProject(actor, id))
  if (!project) notFound()
  return <BoardView project={project} handle={actor.handle} admin={isAdmin(actor)} />
}
