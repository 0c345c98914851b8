import type { Metadata } from 'next'
import { TokenList } from '@/components/access/token-list'
import { isAdmin } from '@/lib/access/actor'
import { listTokensSchema } from '@/lib/access/schemas'
import { listTokens } from '@/lib/access/tokens'
import { tokensQuery } from '@/lib/http/queries'
import { pageActor } from '../page-actor'
import { firstPage, Prefetched } from '../prefetched'

export const metadata: Metadata = { title: 'Tokens' }

export default async function TokensPage() {
  const actor = await pageActor('/tokens')
  return (
    <Prefetched
      queryKey={tokensQuery().queryKey}
      load={() => firstPage(listTokens(actor, listTokensSchema.parse({})))}
    >
      <TokenList admin={isAdmin(actor)} owner={actor.handle} />
    </Prefetched>
  )
}
