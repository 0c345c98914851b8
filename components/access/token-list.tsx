'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { KeyRound, Plus, Users } from 'lucide-react'
import { useState } from 'react'
import { tokensQuery } from '@/components/queries/queries'
import type { Token } from '@/lib/contract/access/access'
import { ofTokens } from '../features'
import { ListPanel } from '../shell/list-panel'
import { Button } from '../ui/button'
import { EmptyState } from '../ui/empty-state'
import { Link } from '../ui/link'
import { PageHeader } from '../ui/page-header'
import { Switch } from '../ui/switch'
import { useNow } from '../ui/use-now'
import { ConnectPanels } from './connect-panels'
import { NewTokenDialog } from './new-token-dialog'
import { isValid, TokenTable } from './token-table'

interface TokenListProps {
  admin: boolean
  /** Shows this user's tokens. Without it: all tokens. */
  owner?: string
}

/** The tokens page: the user's own tokens, or all tokens for admins. */
export function TokenList({ admin, owner }: TokenListProps) {
  const everyone = owner === undefined
  const query = useInfiniteQuery(tokensQuery(everyone))
  return (
    <>
      <PageHeader
        title={everyone ? 'All tokens' : 'Tokens'}
        description={
          everyone
            ? 'Every API token. Create one for a user and send it to them with its config.'
            : 'API keys for curl, scripts and notebooks. You see each token only once.'
        }
        actions={
          <>
            {everyone ? (
              <ofTokens.Batch trigger={<Button icon={Users}>Tokens for many users</Button>} />
            ) : null}
            <NewTokenDialog
              admin={admin}
              owner={owner}
              trigger={
                <Button icon={Plus} variant="primary">
                  New token
                </Button>
              }
            />
          </>
        }
      />
      <ListPanel
        query={query}
        empty={
          <EmptyState icon={KeyRound} title="No tokens yet">
            Create one to submit jobs with curl or from a script.{' '}
            <Link href="/docs/api">Examples for the API</Link>
          </EmptyState>
        }
      >
        {(tokens) => <Tokens tokens={tokens} everyone={everyone} />}
      </ListPanel>
      {everyone ? null : <ConnectPanels />}
    </>
  )
}

/** The valid tokens, and the others on demand. */
function Tokens({ tokens, everyone }: { tokens: readonly Token[]; everyone: boolean }) {
  const [showInvalid, setShowInvalid] = useState(false)
  const now = useNow(60_000)
  const valid = tokens.filter((token) => isValid(token, now ?? 0))
  const invalid = tokens.length - valid.length
  return (
    <>
      <TokenTable tokens={showInvalid ? tokens : valid} showOwner={everyone} />
      {valid.length === 0 && !showInvalid ? (
        <p className="px-4 py-6 text-center text-muted text-sm">No valid tokens.</p>
      ) : null}
      {invalid > 0 ? (
        <div className="border-t px-4 py-2">
          <Switch
            label={`Show revoked and expired (${invalid})`}
            checked={showInvalid}
            onCheckedChange={setShowInvalid}
          />
        </div>
      ) : null}
    </>
  )
}
