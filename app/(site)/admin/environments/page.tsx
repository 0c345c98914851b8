import type { Metadata } from 'next'
import { EnvironmentList } from '@/components/admin/environment-list'
import { environmentsQuery } from '@/components/queries/queries'
import { listEnvironments } from '@/lib/access/environments'
import { Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'Environments' }

export default async function EnvironmentsPage() {
  const actor = await requireAdmin('/admin/environments')
  return (
    <Prefetched queryKey={environmentsQuery().queryKey} load={() => listEnvironments(actor)}>
      <EnvironmentList />
    </Prefetched>
  )
}
