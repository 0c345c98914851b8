import type { Metadata } from 'next'
import { ProjectList } from '@/components/access/project-list'
import { keys, projectsQuery } from '@/components/queries/queries'
import { listProjectInvitations } from '@/lib/access/projects/project-invitations'
import { listProjects } from '@/lib/access/projects/projects'
import { listProjectsSchema } from '@/lib/contract/access/projects'
import { firstPage, Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'

export const metadata: Metadata = { title: 'Projects' }

export default async function ProjectsPage() {
  const actor = await requireActor('/projects')
  return (
    <Prefetched
      queryKey={projectsQuery().queryKey}
      load={() => firstPage(listProjects(actor, listProjectsSchema.parse({})))}
    >
      <Prefetched queryKey={keys.projectInvitations} load={() => listProjectInvitations(actor)}>
        <ProjectList handle={actor.handle} />
      </Prefetched>
    </Prefetched>
  )
}
