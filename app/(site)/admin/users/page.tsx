import type { Metadata } from 'next'
import { UserList } from '@/components/admin/user-list'
import { usersQuery } from '@/components/queries/queries'
import { listUsers } from '@/lib/access/users/users'
import { listUsersSchema } from '@/lib/contract/access'
import { pageAdmin } from '../../page-actor'
import { firstPage, Prefetched } from '../../prefetched'

export const metadata: Metadata = { title: 'Users' }

export default async function UsersPage() {
  const actor = await pageAdmin('/admin/users')
  return (
    <Prefetched
      queryKey={usersQuery().queryKey}
      load={() => firstPage(listUsers(actor, listUsersSchema.parse({})))}
    >
      <UserList ownHandle={actor.handle} />
    </Prefetched>
  )
}
