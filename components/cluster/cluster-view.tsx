'use client'

import { useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { clusterQuery, nodesPerPage, orchestratorQuery } from '@/components/queries/cluster'
import type { NodesWanted, Orchestrator } from '@/lib/contract/cluster/cluster'
import type { EngineName } from '@/lib/contract/cluster/engine'
import { pagesOfEngine } from '../features'
import { Loaded } from '../shell/load-failure'
import { Reconnecting } from '../shell/reconnecting'
import { ButtonLink } from '../ui/button-link'
import { Callout } from '../ui/callout'
import { PageHeader } from '../ui/page-header'
import { Skeleton } from '../ui/skeleton'
import { ClusterSummary } from './cluster-summary'
import { NodeGrid } from './nodes/node-grid'
import { QueuePanel } from './queue/queue-panel'
import { SchedulerButton } from './scheduler-button'
import { SimulateDialog } from './simulate-dialog'

interface ClusterViewProps {
  handle: string
  admin: boolean
  /** The engine: gpuq itself, or another one. */
  engine: EngineName
}

/** The cluster page, live: nodes, GPUs and the queue. */
export function ClusterView({ handle, admin, engine }: ClusterViewProps) {
  const external = pagesOfEngine(engine)
  const [filter, setFilter] = useState<NodesWanted>({ limit: nodesPerPage })
  const query = useQuery(clusterQuery(filter))
  const { data: scheduler } = useQuery(orchestratorQuery())
  return (
    <>
      <PageHeader
        title="Cluster"
        meta={<Reconnecting lost={query.isRefetchError} />}
        description="All nodes and GPUs, and the queue in its expected order."
        actions={admin ? <ClusterActions scheduler={scheduler} simulates={external === null} /> : null}
      />
      <Loaded query={query} placeholder={<ClusterSkeleton />}>
        {(cluster) => (
          <div className="flex flex-col gap-4">
            <SchedulerNote scheduler={scheduler} admin={admin} />
            {external ? (
              <external.Cluster measured={cluster.cluster_status} scheduler={scheduler} admin={admin} />
            ) : (
              <>
                <ClusterSummary status={cluster.cluster_status} scheduler={scheduler} />
                <NodeGrid cluster={cluster} filter={filter} onFilter={setFilter} admin={admin} />
              </>
            )}
            <div id="queue" className="scroll-mt-16">
              <QueuePanel handle={handle} admin={admin} />
            </div>
            {external ? (
              // Without its actions: the engine would ignore a pause.
              <NodeGrid
                title="Workers of gpuq"
                startsCompact
                cluster={cluster}
                filter={filter}
                onFilter={setFilter}
                admin={false}
              />
            ) : null}
          </div>
        )}
      </Loaded>
    </>
  )
}

function ClusterSkeleton() {
  return (
    <div role="status" className="flex flex-col gap-4">
      <span className="sr-only">Loading the cluster</span>
      <Skeleton className="h-24 rounded-lg max-xl:h-42 max-sm:h-60" />
      <Skeleton className="h-80 rounded-lg" />
      <Skeleton className="h-60 rounded-lg" />
    </div>
  )
}

function ClusterActions({
  scheduler,
  simulates,
}: {
  scheduler: Orchestrator | undefined
  simulates: boolean
}) {
  return (
    <>
      {simulates ? <SimulateDialog /> : null}
      <ButtonLink icon={SlidersHorizontal} href="/admin/policy">
        Policy
      </ButtonLink>
      {scheduler ? (
        <SchedulerButton running={scheduler.running} setByEnvironment={scheduler.set_by_environment} />
      ) : null}
    </>
  )
}

/** The reason why no job can start. */
function SchedulerNote({ scheduler, admin }: { scheduler: Orchestrator | undefined; admin: boolean }) {
  const text = scheduler ? whyNothingStarts(scheduler, admin) : null
  if (text === null) return null
  return <Callout tone="warning">{text}</Callout>
}

function whyNothingStarts({ running, leader }: Orchestrator, admin: boolean): string | null {
  if (!running) {
    return `The scheduler is stopped. Jobs wait until ${admin ? 'you start it' : 'an admin starts it'}. Running jobs continue.`
  }
  if (!leader) return 'The scheduler does not run at the moment. A running worker takes over within seconds.'
  return null
}
