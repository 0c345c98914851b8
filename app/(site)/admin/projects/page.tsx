import type { Metadata } from 'next'
import { ProjectList } from '@/components/access/project-list'
import { pageAdmin } from '../../page-actor'

export const metadata: Metadata = { title: 'All projects' }

export default async function AdminProjectsPage() {
  const actor = await pageAdmin('/admin/projects')
  return <ProjectList handle={actor.handle} admin everyone />
}
