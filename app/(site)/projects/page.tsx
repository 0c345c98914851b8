import type { Metadata } from 'next'
import { ProjectList } from '@/components/access/project-list'
import { isAdmin } from '@/lib/access/actor'
import { listProjects } from '@/lib/access/projects'
import { listProjectsSchema } from '@/lib/access/schemas'
import { projectsQuery } from '@/lib/http/queries'
import { pageActor } from '../page-actor'
import { firstPage, Prefetched } from '../prefetched'

export const metadata: Metadata = { title: 'Projects' }

export default async function ProjectsPage() {
  const actor = await pageActor('/projects')
  return (
    <Prefetched
      queryKey={projectsQuery().queryKey}
      load={() => firstPage(listProjects(actor, listProjectsSchema.parse({})))}
    >
      <ProjectList handle={actor.handle} admin={isAdmin(actor)} />
    </Prefetched>
  )
}
