import type { Metadata } from 'next'
import { EnvironmentList } from '@/components/admin/environment-list'
import { pageAdmin } from '../../page-actor'

export const metadata: Metadata = { title: 'Environments' }

export default async function AdminEnvironmentsPage() {
  await pageAdmin('/admin/environments')
  return <EnvironmentList />
}
