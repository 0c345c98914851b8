import type { Metadata } from 'next'
import { UserList } from '@/components/admin/user-list'
import { usersQuery } from '@/components/queries/queries'
import { listUsers } from '@/lib/access/users/users'
import { listUsersSchema } from '@/lib/contract/access/access'
import { firstPage, Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'Users' }

export default async function UsersPage() {
  const actor = await requireAdmin('/admin/users')
  return (
    <Prefetched
      queryKey={usersQuery().queryKey}
      load={() => firstPage(listUsers(actor, listUsersSchema.parse({})))}
    >
      <UserList ownHandle={actor.handle} />
    </Prefetched>
  )
}
