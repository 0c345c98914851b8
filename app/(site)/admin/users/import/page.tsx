import type { Metadata } from 'next'
import { ImportUsers } from '@/components/people/import-users'
import { requireAdmin } from '../../../require-actor'

export const metadata: Metadata = { title: 'Import users' }

export default async function ImportUsersPage() {
  await requireAdmin('/admin/users/import')
  return <ImportUsers />
}
