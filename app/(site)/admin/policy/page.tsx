import type { Metadata } from 'next'
import { PolicyView } from '@/components/cluster/policy/policy-view'
import { readPolicy, toWirePolicy } from '@/lib/cluster/policy'
import { policyQuery } from '@/lib/http/queries-cluster'
import { pageAdmin } from '../../page-actor'
import { Prefetched } from '../../prefetched'

export const metadata: Metadata = { title: 'Policy and models' }

export default async function PolicyPage() {
  await pageAdmin('/admin/policy')
  return (
    <Prefetched queryKey={policyQuery().queryKey} load={async () => toWirePolicy(await readPolicy())}>
      <PolicyView />
    </Prefetched>
  )
}
