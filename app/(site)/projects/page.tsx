import type { Metadata } from 'next'
import { ProjectList } from '@/components/access/project-list'
import { isAdmin } from '@/lib/access/actor'
import { pageActor } from '../page-actor'

export const metadata: Metadata = { title: 'Projects' }

export default async function ProjectsPage() {
  const actor = await pageActor('/projects')
  return <ProjectList handle={actor.handle} admin={isAdmin(actor)} />
}
