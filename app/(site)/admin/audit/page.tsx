import type { Metadata } from 'next'
import { toAuditFilters } from '@/components/admin/audit-filters'
import { AuditList } from '@/components/admin/audit-list'
import { auditQuery } from '@/components/queries/queries'
import { listAudit } from '@/lib/access/audit'
import { listAuditSchema } from '@/lib/contract/access'
import { pageAdmin } from '../../page-actor'
import { type PageSearch, readSearch, withSearch } from '../../page-search'
import { firstPage, Prefetched } from '../../prefetched'

export const metadata: Metadata = { title: 'Audit log' }

export default async function AuditPage({ searchParams }: { searchParams: PageSearch }) {
  const params = await readSearch(searchParams)
  const actor = await pageAdmin(withSearch('/admin/audit', params))
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
