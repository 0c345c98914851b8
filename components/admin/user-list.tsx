'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { FileUp, Search, Users } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { usersQuery } from '@/components/queries/queries'
import type { User } from '@/lib/contract/access/access'
import { ListPanel } from '../shell/list-panel'
import { describeStorageUse, isStorageFull } from '../storage/storage-bar'
import { Badge } from '../ui/badge'
import { ButtonLink } from '../ui/button-link'
import { cn } from '../ui/class-names'
import { EmptyState } from '../ui/empty-state'
import { formatNumber } from '../ui/format-number'
import { Input } from '../ui/input'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { type Column, DataTable } from '../ui/table'
import { InviteDialog } from './invite-dialog'
import { UserActions } from './user-actions'

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
        actions={
          <>
            <ButtonLink icon={FileUp} href="/admin/users/import">
              Import
            </ButtonLink>
            <InviteDialog />
          </>
        }
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
  const columns = useMemo(() => userColumns(ownHandle), [ownHandle])
  if (users.length === 0) {
    return (
      <p role="status" className="px-4 py-8 text-center text-muted text-sm">
        {searching ? 'Searching more users…' : 'No user matches.'}
      </p>
    )
  }
  return <DataTable caption="Users" columns={columns} items={users} keyOf={({ user_id }) => user_id} />
}

function UserStorage({ storage }: Pick<User, 'storage'>) {
  return (
    <span className={cn('whitespace-nowrap', isStorageFull(storage) ? 'text-danger-ink' : 'text-muted')}>
      {describeStorageUse(storage)}
    </span>
  )
}

/** The limits that were set for a user. The dialog has the others. */
function describeUserLimits({ submissions_per_minute: perMinute, max_active_jobs: active }: User['limits']) {
  const set = [
    perMinute === null ? [] : `${formatNumber(perMinute)} per minute`,
    active === null ? [] : `${formatNumber(active)} active`,
  ].flat()
  return set.length === 0 ? 'default' : set.join(', ')
}

function userColumns(ownHandle: string): Column<User>[] {
  const muted = { className: 'text-muted' }
  return [
    {
      label: 'User',
      kind: 'title',
      cell: ({ user_id, name, invited, disabled }) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex flex-wrap items-center gap-1.5 font-medium text-ink">
            {user_id}
            {user_id === ownHandle ? <Badge tone="accent">you</Badge> : null}
            {invited ? <Badge tone="info">invited</Badge> : null}
            {disabled ? <Badge tone="danger">disabled</Badge> : null}
          </span>
          {name ? <span className="truncate text-subtle text-xs">{name}</span> : null}
        </span>
      ),
    },
    {
      label: 'E-mail',
      ...muted,
      cell: ({ email }) => <span className="min-w-0 truncate">{email ?? '–'}</span>,
    },
    {
      label: 'Role',
      cell: ({ role }) => <Badge tone={role === 'admin' ? 'warning' : 'neutral'}>{role}</Badge>,
    },
    { label: 'Limits', ...muted, cell: ({ limits }) => describeUserLimits(limits) },
    { label: 'Storage', cell: ({ storage }) => <UserStorage storage={storage} /> },
    {
      label: 'Last seen',
      ...muted,
      cell: ({ last_seen_at: at }) => (at ? <RelativeTime at={at} className="whitespace-nowrap" /> : 'never'),
    },
    {
      label: 'Actions',
      kind: 'actions',
      cell: (user) => <UserActions user={user} own={user.user_id === ownHandle} />,
    },
  ]
}
