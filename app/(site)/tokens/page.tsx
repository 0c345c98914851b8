import type { Metadata } from 'next'
import { TokenList } from '@/components/access/token-list'
import { isAdmin } from '@/lib/access/actor'
import { pageActor } from '../page-actor'

export const metadata: Metadata = { title: 'Tokens' }

export default async function TokensPage() {
  const actor = await pageActor('/tokens')
  return <TokenList admin={isAdmin(actor)} owner={actor.handle} />
}
