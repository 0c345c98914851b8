'use client'

import { useState } from 'react'
import type { User } from '@/lib/contract/access'
import { Badge } from '../ui/badge'
import { RelativeTime } from '../ui/relative-time'
import { Cell, TableRow } from '../ui/table'
import { type UserAction, UserActions } from './user-actions'
import { UserDialog } from './user-dialog'

/** One user with the admin actions. */
export function UserRow({ user, own }: { user: User; own: boolean }) {
  const [action, setAction] = useState<UserAction | null>(null)
  const { limits } = user
  return (
    <TableRow>
      <Cell>
        <span className="flex min-w-0 flex-col">
          <span className="flex flex-wrap items-center gap-1.5 font-medium text-ink">
            {user.user_id}
            {own ? <Badge tone="accent">you</Badge> : null}
            {user.invited ? <Badge tone="info">invited</Badge> : null}
            {user.disabled ? <Badge tone="danger">disabled</Badge> : null}
          </span>
          {user.name ? <span className="truncate text-subtle text-xs">{user.name}</span> : null}
        </span>
      </Cell>
      <Cell label="E-mail" className="text-muted">
        <span className="min-w-0 truncate">{user.email ?? '–'}</span>
      </Cell>
      <Cell label="Role">
        <Badge tone={user.role === 'admin' ? 'warning' : 'neutral'}>{user.role}</Badge>
      </Cell>
      <Cell label="Submissions per minute" className="text-muted">
        {limits.submissions_per_minute ?? 'default'}
      </Cell>
      <Cell label="Active jobs" className="text-muted">
        {limits.max_active_jobs ?? 'default'}
      </Cell>
      <Cell label="Last seen" className="text-muted">
        {user.last_seen_at ? <RelativeTime at={user.last_seen_at} /> : 'never'}
      </Cell>
      <Cell align="end">
        <UserActions user={user} own={own} onChoose={setAction} />
        <UserDialog user={user} action={action} onClose={() => setAction(null)} />
      </Cell>
    </TableRow>
  )
}
