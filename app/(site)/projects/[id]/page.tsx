import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ProjectPage } from '@/components/access/project/project-page'
import { projectPath } from '@/components/access/project/project-path'
import { projectQuery } from '@/components/queries/queries'
import { isAdmin } from '@/lib/access/actor'
import { mayCreateClasses } from '@/lib/access/projects/project-kind'
import { getProject } from '@/lib/access/projects/projects'
import { database } from '@/lib/database/client'
import { nullIfNotFound } from '../../null-if-not-found'
import { Prefetched } from '../../prefetched'
import { requireActor } from '../../require-actor'

export const metadata: Metadata = { title: 'Project' }

export default async function ProjectSite({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  const actor = await requireActor(projectPath(id))
  const project = await nullIfNotFound(getProject(actor, id))
  if (!project) notFound()
  return (
    <Prefetched queryKey={projectQuery(id).queryKey} load={async () => project}>
      <ProjectPage
        id={id}
        handle={actor.handle}
        admin={isAdmin(actor)}
        classes={await mayCreateClasses(database().pool, actor)}
      />
    </Prefetched>
  )
}
