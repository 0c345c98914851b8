import type { Metadata } from 'next'
import { TokenList } from '@/components/access/token-list'
import { tokensQuery } from '@/components/queries/queries'
import { listTokens } from '@/lib/access/tokens/tokens'
import { listTokensSchema } from '@/lib/contract/access/access'
import { firstPage, Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'All tokens' }

export default async function AllTokensPage() {
  const actor = await requireAdmin('/admin/tokens')
  return (
    <Prefetched
      queryKey={tokensQuery(true).queryKey}
      load={() => firstPage(listTokens(actor, listTokensSchema.parse({ all: 'true' })))}
    >
      <TokenList admin />
    </Prefetched>
  )
}
