'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { tokensQuery } from '@/components/queries/queries'
import type { Token } from '@/lib/contract/access'
import { ListPanel } from '../shell/list-panel'
import { Button } from '../ui/button'
import { useNow } from '../ui/clock'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { Switch } from '../ui/switch'
import { AgentAccess } from './agent-access'
import { CommandLineAccess } from './command-line-access'
import { NewTokenDialog } from './new-token-dialog'
import { isLive, TokenTable } from './token-table'

interface TokenListProps {
  admin: boolean
  /** One's own tokens; left out for everyone's. */
  owner?: string
}

/** The page of tokens, one's own or everyone's. */
export function TokenList({ admin, owner }: TokenListProps) {
  const everyone = owner === undefined
  const query = useInfiniteQuery(tokensQuery(everyone))
  return (
    <>
      <PageHeader
        title={everyone ? 'All tokens' : 'Tokens'}
        description={
          everyone
            ? 'Every key that opens the API. Make one for a user and hand it over with its config.'
            : 'Keys for curl, scripts and notebooks. Each is shown once, when it is made.'
        }
        actions={
          <NewTokenDialog
            admin={admin}
            {...(everyone ? {} : { owner })}
            trigger={
              <Button variant="primary">
                <Plus aria-hidden />
                New token
              </Button>
            }
          />
        }
      />
      <ListPanel
        query={query}
        empty={
          <EmptyState icon={KeyRound} title="No tokens yet">
            Make one to submit jobs with curl or from a script.
          </EmptyState>
        }
      >
        {(tokens) => <Tokens tokens={tokens} everyone={everyone} />}
      </ListPanel>
      {everyone ? null : (
        <>
          <CommandLineAccess />
          <AgentAccess />
        </>
      )}
    </>
  )
}

/** Those that still open something; the others on demand. */
function Tokens({ tokens, everyone }: { tokens: readonly Token[]; everyone: boolean }) {
  const [showEnded, setShowEnded] = useState(false)
  const now = useNow(60_000)
  const live = tokens.filter((token) => isLive(token, now ?? 0))
  const ended = tokens.length - live.length
  return (
    <>
      <TokenTable tokens={showEnded ? tokens : live} showOwner={everyone} />
      {live.length === 0 && !showEnded ? (
        <p className="px-4 py-6 text-center text-muted text-sm">None of the tokens is valid any more.</p>
      ) : null}
      {ended > 0 ? (
        <div className="border-t px-4 py-2">
          <Switch
            label={`Show revoked and expired (${ended})`}
            checked={showEnded}
            onCheckedChange={setShowEnded}
          />
        </div>
      ) : null}
    </>
  )
}
