'use client'

import { useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { clusterQuery, nodesPerPage, orchestratorQuery } from '@/components/queries/cluster'
import type { NodesWanted, Orchestrator } from '@/lib/contract/cluster'
import { LoadFailure } from '../shell/load-failure'
import { Reconnecting } from '../shell/reconnecting'
import { ButtonLink } from '../ui/button-link'
import { Callout } from '../ui/callout'
import { PageHeader } from '../ui/page-header'
import { ClusterFigures } from './cluster-figures'
import { ClusterSkeleton } from './cluster-skeleton'
import { NodeGrid } from './nodes/node-grid'
import { QueuePanel } from './queue/queue-panel'
import { SchedulerButton } from './scheduler-button'
import { SimulateDialog } from './simulate-dialog'

/** The page of the cluster, live: what there is, who runs what, and who waits for it. */
export function ClusterView({ handle, admin }: { handle: string; admin: boolean }) {
  const [wanted, setWanted] = useState<NodesWanted>({ limit: nodesPerPage })
  const { data: cluster, error, isPending, isRefetchError, refetch } = useQuery(clusterQuery(wanted))
  const { data: scheduler } = useQuery(orchestratorQuery())
  return (
    <>
      <PageHeader
        title="Cluster"
        meta={<Reconnecting lost={isRefetchError} />}
        description="Every node and GPU as it is now, and the queue in the order in which it should run."
        actions={admin ? <ClusterActions scheduler={scheduler} /> : null}
      />
      {isPending ? (
        <ClusterSkeleton />
      ) : cluster ? (
        <div className="flex flex-col gap-4">
          <SchedulerNote scheduler={scheduler} admin={admin} />
          <ClusterFigures status={cluster.cluster_status} scheduler={scheduler} />
          <NodeGrid cluster={cluster} wanted={wanted} onWanted={setWanted} admin={admin} />
          <div id="queue" className="scroll-mt-16">
            <QueuePanel handle={handle} admin={admin} />
          </div>
        </div>
      ) : (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      )}
    </>
  )
}

function ClusterActions({ scheduler }: { scheduler: Orchestrator | undefined }) {
  return (
    <>
      <SimulateDialog />
      <ButtonLink href="/admin/policy">
        <SlidersHorizontal aria-hidden />
        Policy
      </ButtonLink>
      {scheduler ? <SchedulerButton running={scheduler.running} /> : null}
    </>
  )
}

/** Says why nothing starts, where that holds for every job. */
function SchedulerNote({ scheduler, admin }: { scheduler: Orchestrator | undefined; admin: boolean }) {
  const text = scheduler ? whyNothingStarts(scheduler, admin) : null
  if (text === null) return null
  return <Callout tone="warning">{text}</Callout>
}

function whyNothingStarts({ running, leader }: Orchestrator, admin: boolean): string | null {
  if (!running) {
    return `The scheduler is stopped: jobs wait until ${admin ? 'you start it' : 'an admin starts it'}. What runs goes on.`
  }
  if (!leader) return 'No worker leads the scheduler now. One takes over within seconds, if any is running.'
  return null
}
