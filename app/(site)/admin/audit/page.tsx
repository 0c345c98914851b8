import type { Metadata } from 'next'
import { AuditList } from '@/components/admin/audit-list'
import { pageAdmin } from '../../page-actor'

export const metadata: Metadata = { title: 'Audit log' }

export default async function AdminAuditPage() {
  await pageAdmin('/admin/audit')
  return <AuditList />
}
