import type { Metadata } from 'next'
import { toAuditFilters } from '@/components/admin/audit-filters'
import { AuditList } from '@/components/admin/audit-list'
import { auditQuery } from '@/components/queries/queries'
import { listAudit } from '@/lib/access/audit'
import { listAuditSchema } from '@/lib/contract/access/access'
import { firstPage, Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../../search-params'

export const metadata: Metadata = { title: 'Audit log' }

export default async function AuditPage({ searchParams }: { searchParams: SearchParams }) {
  const params = await readSearchParams(searchParams)
  const actor = await requireAdmin(withSearchParams('/admin/audit', params))
  const filters = toAuditFilters(params)
  return (
    <Prefetched
      queryKey={auditQuery(filters).queryKey}
      load={() => firstPage(listAudit(actor, listAuditSchema.parse(filters)))}
    >
      <AuditList />
    </Prefetched>
  )
}
