import type { Metadata } from 'next'
import { ClusterView } from '@/components/cluster/cluster-view'
import { isAdmin } from '@/lib/access/actor'
import { pageActor } from '../page-actor'

export const metadata: Metadata = { title: 'Cluster' }

export default async function ClusterPage() {
  const actor = await pageActor('/cluster')
  return <ClusterView handle={actor.handle} admin={isAdmin(actor)} />
}
