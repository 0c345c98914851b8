import type { Metadata } from 'next'
import { TokenList } from '@/components/access/token-list'
import { pageAdmin } from '../../page-actor'

export const metadata: Metadata = { title: 'All tokens' }

export default async function AdminTokensPage() {
  await pageAdmin('/admin/tokens')
  return <TokenList admin />
}
