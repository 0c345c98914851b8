import type { Metadata } from 'next'
import { ClusterView } from '@/components/cluster/cluster-view'
import { isAdmin } from '@/lib/access/actor'
import { readCluster } from '@/lib/cluster/read-cluster'
import { clusterQuery } from '@/lib/http/queries-cluster'
import { pageActor } from '../page-actor'
import { Prefetched } from '../prefetched'

export const metadata: Metadata = { title: 'Cluster' }

export default async function ClusterPage() {
  const actor = await pageActor('/cluster')
  return (
    <Prefetched queryKey={clusterQuery().queryKey} load={() => readCluster(actor)}>
      <ClusterView handle={actor.handle} admin={isAdmin(actor)} />
    </Prefetched>
  )
}
