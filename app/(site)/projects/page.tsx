import type { Metadata } from 'next'
import { ProjectList } from '@/components/access/project-list'
import { keys, projectsQuery } from '@/components/queries/queries'
import { listProjectInvitations } from '@/lib/access/projects/project-invitations'
import { mayCreateClasses } from '@/lib/access/projects/project-kind'
import { listProjects } from '@/lib/access/projects/projects'
import { listProjectsSchema } from '@/lib/contract/access/projects'
import { database } from '@/lib/database/client'
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
        <ProjectList handle={actor.handle} classes={await mayCreateClasses(database().pool, actor)} />
      </Prefetched>
    </Prefetched>
  )
}
