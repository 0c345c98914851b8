import type { Metadata } from 'next'
import { TokenList } from '@/components/access/token-list'
import { tokensQuery } from '@/components/queries/queries'
import { isAdmin } from '@/lib/access/actor'
import { listTokens } from '@/lib/access/tokens/tokens'
import { listTokensSchema } from '@/lib/contract/access/access'
import { firstPage, Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'

export const metadata: Metadata = { title: 'Tokens' }

export default async function TokensPage() {
  const actor = await requireActor('/tokens')
  return (
    <Prefetched
      queryKey={tokensQuery().queryKey}
      load={() => firstPage(listTokens(actor, listTokensSchema.parse({})))}
    >
      <TokenList admin={isAdmin(actor)} owner={actor.handle} />
    </Prefetched>
  )
}
