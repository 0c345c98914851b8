import type { Metadata } from 'next'
import { ClusterView } from '@/components/cluster/cluster-view'
import {
  clusterQuery,
  nodesPerPage,
  orchestratorQuery,
  queueQuery,
  queueStep,
} from '@/components/queries/cluster'
import { isAdmin } from '@/lib/access/actor'
import { readOrchestrator } from '@/lib/cluster/admin/policy'
import { readCluster } from '@/lib/cluster/overview/read-cluster'
import { env } from '@/lib/env'
import { readQueue } from '@/lib/queue/list'
import { ifLoadedSoon, Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'

export const metadata: Metadata = { title: 'Cluster' }

export default async function ClusterPage() {
  const actor = await requireActor('/cluster')
  const cluster = await readCluster(actor, { limit: nodesPerPage, offset: 0 })
  // A forecast for a large cluster blocks this process for seconds.
  const isLarge = cluster.cluster_status.nodes > nodesPerPage
  const [queue, scheduler] = await Promise.all([
    isLarge ? undefined : ifLoadedSoon(readQueue(actor, { limit: queueStep })),
    readOrchestrator(),
  ])
  return (
    <Prefetched queryKey={clusterQuery().queryKey} load={async () => cluster}>
      <Prefetched queryKey={queueQuery(queueStep).queryKey} load={async () => queue}>
        <Prefetched queryKey={orchestratorQuery().queryKey} load={async () => scheduler}>
          <ClusterView handle={actor.handle} admin={isAdmin(actor)} engine={env().GPUQ_ENGINE} />
        </Prefetched>
      </Prefetched>
    </Prefetched>
  )
}
