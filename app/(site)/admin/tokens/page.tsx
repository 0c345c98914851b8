import type { Metadata } from 'next'
import { TokenList } from '@/components/access/token-list'
import { listTokensSchema } from '@/lib/access/schemas'
import { listTokens } from '@/lib/access/tokens'
import { tokensQuery } from '@/lib/http/queries'
import { pageAdmin } from '../../page-actor'
import { firstPage, Prefetched } from '../../prefetched'

export const metadata: Metadata = { title: 'All tokens' }

export default async function AllTokensPage() {
  const actor = await pageAdmin('/admin/tokens')
  return (
    <Prefetched
      queryKey={tokensQuery(true).queryKey}
      load={() => firstPage(listTokens(actor, listTokensSchema.parse({ all: 'true' })))}
    >
      <TokenList admin />
    </Prefetched>
  )
}
