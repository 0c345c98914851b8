import type { Metadata } from 'next'
import { UserList } from '@/components/admin/user-list'
import { pageAdmin } from '../../page-actor'

export const metadata: Metadata = { title: 'Users' }

export default async function AdminUsersPage() {
  const actor = await pageAdmin('/admin/users')
  return <UserList ownHandle={actor.handle} />
}
