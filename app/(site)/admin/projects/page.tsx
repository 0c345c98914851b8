import type { Metadata } from 'next'
import { ProjectList } from '@/components/access/project-list'
import { projectsQuery } from '@/components/queries/queries'
import { listProjects } from '@/lib/access/projects/projects'
import { listProjectsSchema } from '@/lib/contract/access/projects'
import { firstPage, Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'All projects' }

export default async function AllProjectsPage() {
  const actor = await requireAdmin('/admin/projects')
  return (
    <Prefetched
      queryKey={projectsQuery(true).queryKey}
      load={() => firstPage(listProjects(actor, listProjectsSchema.parse({ all: 'true' })))}
    >
      <ProjectList handle={actor.handle} everyone classes />
    </Prefetched>
  )
}
