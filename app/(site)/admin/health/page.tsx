import type { Metadata } from 'next'
import { HealthView } from '@/components/node-checks/health-view'
import { nodeReportsQuery } from '@/components/node-checks/queries'
import { readNodeReports } from '@/lib/node-checks/read-reports'
import { Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'Health' }

export default async function HealthPage() {
  const actor = await requireAdmin('/admin/health')
  return (
    <Prefetched queryKey={nodeReportsQuery().queryKey} load={() => readNodeReports(actor)}>
      <HealthView />
    </Prefetched>
  )
}
