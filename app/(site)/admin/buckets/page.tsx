import type { Metadata } from 'next'
import { BucketList } from '@/components/buckets/bucket-list'
import { bucketsQuery } from '@/components/buckets/queries'
import { listBuckets } from '@/lib/buckets/buckets'
import { Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'Buckets' }

export default async function BucketsPage() {
  const actor = await requireAdmin('/admin/buckets')
  return (
    <Prefetched queryKey={bucketsQuery().queryKey} load={() => listBuckets(actor)}>
      <BucketList />
    </Prefetched>
  )
}
