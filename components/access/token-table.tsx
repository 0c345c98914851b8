'use client'

import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { revokeToken } from '@/components/queries/queries'
import type { Token } from '@/lib/contract/access'
import { Badge } from '../ui/badge'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { IconButton } from '../ui/icon-button'
import { RelativeTime } from '../ui/relative-time'
import { Cell, HeaderCell, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { useNow } from '../ui/use-now'

/** Whether a token is neither revoked nor expired. */
export function isValid(token: Token, now: number): boolean {
  return token.revoked_at === null && (token.expires_at === null || Date.parse(token.expires_at) > now)
}

/** Tokens without their secrets. */
export function TokenTable({ tokens, showOwner = false }: { tokens: readonly Token[]; showOwner?: boolean }) {
  return (
    <Table caption="Tokens">
      <TableHead>
        <HeaderCell>Name</HeaderCell>
        {showOwner ? <HeaderCell>User</HeaderCell> : null}
        <HeaderCell>Scopes</HeaderCell>
        <HeaderCell>Created</HeaderCell>
        <HeaderCell>Last used</HeaderCell>
        <HeaderCell>Expires</HeaderCell>
        <HeaderCell hidden>Actions</HeaderCell>
      </TableHead>
      <TableBody>
        {tokens.map((token) => (
          <TokenRow key={token.token_id} token={token} showOwner={showOwner} />
        ))}
      </TableBody>
    </Table>
  )
}

function TokenRow({ token, showOwner }: { token: Token; showOwner: boolean }) {
  const now = useNow(60_000)
  const { mutateAsync } = useMutation(revokeToken)
  const valid = now === null ? token.revoked_at === null : isValid(token, now)
  return (
    <TableRow>
      <Cell>
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium text-ink">{token.name}</span>
          <span className="font-mono text-subtle text-xs">{token.hint}</span>
        </span>
      </Cell>
      {showOwner ? <Cell label="User">{token.user_id}</Cell> : null}
      <Cell label="Scopes">
        <span className="flex flex-wrap gap-1">
          {token.scopes.map((scope) => (
            <Badge key={scope} tone={scope === 'admin' ? 'warning' : 'neutral'}>
              {scope}
            </Badge>
          ))}
        </span>
      </Cell>
      <Cell label="Created">
        <RelativeTime at={token.created_at} className="text-muted" />
      </Cell>
      <Cell label="Last used">
        {token.last_used_at ? <RelativeTime at={token.last_used_at} className="text-muted" /> : 'never'}
      </Cell>
      <Cell label="Expires">
        <TokenExpiry token={token} valid={valid} />
      </Cell>
      <Cell align="end">
        {token.revoked_at === null ? (
          <ConfirmDialog
            trigger={<IconButton icon={Trash2} variant="danger" label={`Revoke ${token.name}`} />}
            title={`Revoke “${token.name}”?`}
            description="Programs that use this token lose access at once. You cannot undo this."
            confirmLabel="Revoke"
            keepLabel="Keep it"
            onConfirm={() => mutateAsync(token.token_id)}
          />
        ) : null}
      </Cell>
    </TableRow>
  )
}

function TokenExpiry({ token, valid }: { token: Token; valid: boolean }) {
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
      {valid ? null : <Badge tone="warning">expired</Badge>}
      <RelativeTime at={token.expires_at} className="text-muted" />
    </span>
  )
}
