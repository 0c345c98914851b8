'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Search, Users } from 'lucide-react'
import { useEffect, useState } from 'react'
import { usersQuery } from '@/components/queries/queries'
import type { User } from '@/lib/contract/access'
import { ListPanel } from '../shell/list-panel'
import { EmptyState } from '../ui/empty-state'
import { Input } from '../ui/input'
import { PageHeader } from '../ui/page-header'
import { HeaderCell, Table, TableBody, TableHead } from '../ui/table'
import { InviteDialog } from './invite-dialog'
import { UserRow } from './user-row'

function matches(user: User, wanted: string): boolean {
  return [user.user_id, user.email, user.name].some((text) => text?.toLowerCase().includes(wanted))
}

/** The page of users. */
export function UserList({ ownHandle }: { ownHandle: string }) {
  const query = useInfiniteQuery(usersQuery())
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  // Who is looked for may be on a page that was not asked for yet.
  const looking = wanted !== '' && hasNextPage && !isFetchNextPageError
  useEffect(() => {
    if (looking && !isFetchingNextPage) void fetchNextPage()
  }, [looking, isFetchingNextPage, fetchNextPage])
  return (
    <>
      <PageHeader
        title="Users"
        description="Who may sign in and submit, and how much."
        actions={<InviteDialog />}
      />
      <ListPanel
        query={query}
        header={
          <div className="border-b p-2">
            <Input
              icon={Search}
              type="search"
              aria-label="Find a user"
              placeholder="Find by user id, name or e-mail"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              className="max-w-sm"
            />
          </div>
        }
        empty={
          <EmptyState icon={Users} title="No users yet">
            Invite the first one.
          </EmptyState>
        }
      >
        {(users) => (
          <UserTable
            users={users.filter((user) => matches(user, wanted))}
            ownHandle={ownHandle}
            looking={looking}
          />
        )}
      </ListPanel>
    </>
  )
}

interface UserTableProps {
  users: readonly User[]
  ownHandle: string
  /** More of them are on their way. */
  looking: boolean
}

function UserTable({ users, ownHandle, looking }: UserTableProps) {
  if (users.length === 0) {
    return (
      <p role="status" className="px-4 py-8 text-center text-muted text-sm">
        {looking ? 'Looking among more users…' : 'No user matches that.'}
      </p>
    )
  }
  return (
    <Table caption="Users">
      <TableHead>
        <HeaderCell>User</HeaderCell>
        <HeaderCell>E-mail</HeaderCell>
        <HeaderCell>Role</HeaderCell>
        <HeaderCell>Submissions a minute</HeaderCell>
        <HeaderCell>Active jobs</HeaderCell>
        <HeaderCell>Last seen</HeaderCell>
        <HeaderCell hidden>Actions</HeaderCell>
      </TableHead>
      <TableBody>
        {users.map((user) => (
          <UserRow key={user.user_id} user={user} own={user.user_id === ownHandle} />
        ))}
      </TableBody>
    </Table>
  )
}
