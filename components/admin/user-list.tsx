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

function matches(user: User, needle: string): boolean {
  return [user.user_id, user.email, user.name].some((text) => text?.toLowerCase().includes(needle))
}

/** The users page. */
export function UserList({ ownHandle }: { ownHandle: string }) {
  const query = useInfiniteQuery(usersQuery())
  const [search, setSearch] = useState('')
  const needle = search.trim().toLowerCase()
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  // The user may be on a page that is not loaded yet.
  const searching = needle !== '' && hasNextPage && !isFetchNextPageError
  useEffect(() => {
    if (searching && !isFetchingNextPage) void fetchNextPage()
  }, [searching, isFetchingNextPage, fetchNextPage])
  return (
    <>
      <PageHeader
        title="Users"
        description="Users who may sign in and submit jobs, with their limits."
        actions={<InviteDialog />}
      />
      <ListPanel
        query={query}
        header={
          <div className="border-b p-2">
            <Input
              icon={Search}
              type="search"
              aria-label="Find users"
              placeholder="Search by user id, name or e-mail"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              className="max-w-sm"
            />
          </div>
        }
        empty={
          <EmptyState icon={Users} title="No users yet">
            Invite the first user.
          </EmptyState>
        }
      >
        {(users) => (
          <UserTable
            users={users.filter((user) => matches(user, needle))}
            ownHandle={ownHandle}
            searching={searching}
          />
        )}
      </ListPanel>
    </>
  )
}

interface UserTableProps {
  users: readonly User[]
  ownHandle: string
  /** More users are loading. */
  searching: boolean
}

function UserTable({ users, ownHandle, searching }: UserTableProps) {
  if (users.length === 0) {
    return (
      <p role="status" className="px-4 py-8 text-center text-muted text-sm">
        {searching ? 'Searching more users…' : 'No user matches.'}
      </p>
    )
  }
  return (
    <Table caption="Users">
      <TableHead>
        <HeaderCell>User</HeaderCell>
        <HeaderCell>E-mail</HeaderCell>
        <HeaderCell>Role</HeaderCell>
        <HeaderCell>Submissions per minute</HeaderCell>
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
