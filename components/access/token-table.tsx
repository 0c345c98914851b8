import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { revokeToken } from '@/components/queries/queries'
import type { Token } from '@/lib/contract/access/access'
import { describeLimits } from '@/lib/contract/access/describe-limits'
import { ofTokens } from '../features'
import { Person } from '../shell/person'
import { Badge } from '../ui/badge'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { formatSeconds } from '../ui/format-time'
import { IconButton } from '../ui/icon-button'
import { RelativeTime } from '../ui/relative-time'
import { type Column, DataTable } from '../ui/table'
import { useNow } from '../ui/use-now'

/** Whether a token is neither revoked nor expired. */
export function isValid(token: Token, now: number): boolean {
  return token.revoked_at === null && (token.expires_at === null || Date.parse(token.expires_at) > now)
}

/** What the token of an agent may do, as a sentence. */
function describeAgent(limits: NonNullable<Token['limits']>): string {
  const known = describeLimits(limits, formatSeconds)
  return `For an agent${known.length > 0 ? `: ${known.join(', ')}` : ''}.`
}

const columns: readonly Column<Token>[] = [
  {
    label: 'Name',
    kind: 'title',
    cell: ({ name, hint, bound_to, limits, created_by }) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate font-medium text-ink">{name}</span>
        <span className="font-mono text-subtle text-xs">{hint}</span>
        {bound_to ? (
          <span className="text-muted text-xs">
            For the class {bound_to.project_id} only. Created by {created_by ?? 'a user who no longer exists'}
            .
          </span>
        ) : null}
        {limits ? <span className="text-muted text-xs">{describeAgent(limits)}</span> : null}
      </span>
    ),
  },
  { label: 'User', cell: ({ user_id, user_name }) => <Person handle={user_id} name={user_name} /> },
  {
    label: 'Scopes',
    cell: ({ scopes }) => (
      <span className="flex flex-wrap gap-1">
        {scopes.map((scope) => (
          <Badge key={scope} tone={scope === 'admin' ? 'warning' : 'neutral'}>
            {scope}
          </Badge>
        ))}
      </span>
    ),
  },
  { label: 'Created', cell: ({ created_at }) => <RelativeTime at={created_at} className="text-muted" /> },
  {
    label: 'Last used',
    cell: ({ last_used_at: at }) => (at ? <RelativeTime at={at} className="text-muted" /> : 'never'),
  },
  { label: 'Expires', cell: (token) => <TokenExpiry token={token} /> },
  { label: 'Actions', kind: 'actions', cell: (token) => <TokenActions token={token} /> },
]
const ownColumns = columns.filter(({ label }) => label !== 'User')

/** Tokens without their secrets. */
export function TokenTable({ tokens, showOwner = false }: { tokens: readonly Token[]; showOwner?: boolean }) {
  return (
    <DataTable
      caption="Tokens"
      columns={showOwner ? columns : ownColumns}
      items={tokens}
      keyOf={({ token_id }) => token_id}
    />
  )
}

function TokenActions({ token }: { token: Token }) {
  if (token.revoked_at !== null) return null
  return (
    <span className="flex justify-end gap-1">
      <RevokeButton token={token} />
      <ofTokens.Stop token={token} />
    </span>
  )
}

function RevokeButton({ token }: { token: Token }) {
  const { mutateAsync } = useMutation(revokeToken)
  return (
    <ConfirmDialog
      trigger={<IconButton icon={Trash2} variant="danger" label={`Revoke ${token.name}`} />}
      title={`Revoke “${token.name}”?`}
      description="Programs that use this token lose access at once. You cannot undo this."
      confirmLabel="Revoke"
      keepLabel="Keep it"
      onConfirm={() => mutateAsync(token.token_id)}
    />
  )
}

function TokenExpiry({ token }: { token: Token }) {
  const now = useNow(60_000)
  if (token.revoked_at) {
    return (
      <span className="flex flex-wrap items-center gap-1.5">
        <Badge tone="danger">revoked</Badge>
        <RelativeTime at={token.revoked_at} className="text-muted" />
      </span>
    )
  }
  if (token.expires_at === null) return 'never'
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {now === null || isValid(token, now) ? null : <Badge tone="warning">expired</Badge>}
      <RelativeTime at={token.expires_at} className="text-muted" />
    </span>
  )
}
