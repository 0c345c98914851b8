import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { nodesPerPage } from '@/components/queries/cluster'
import { slurmQuery } from '@/components/slurm/queries'
import type { Cluster, NodesWanted, Orchestrator } from '@/lib/contract/cluster/cluster'
import type { SlurmClusterView } from '@/lib/slurm/contract'
import { ClusterSummary } from '../cluster/cluster-summary'
import { Loaded } from '../shell/load-failure'
import { Skeleton } from '../ui/skeleton'
import { MissingWorkers } from './missing-workers'
import { SlurmNodes } from './slurm-nodes'
import { SlurmOtherJobs } from './slurm-other-jobs'
import { SlurmPartitions } from './slurm-partitions'

interface SlurmClusterProps {
  /** What gpuq's workers measure. */
  measured: Cluster['cluster_status']
  scheduler: Orchestrator | undefined
  admin: boolean
}

/** Slurm's nodes and partitions, and what other jobs occupy. */
export function SlurmCluster({ measured, scheduler, admin }: SlurmClusterProps) {
  const [filter, setFilter] = useState<NodesWanted>({ limit: nodesPerPage })
  return (
    <Loaded query={useQuery(slurmQuery(filter))} placeholder={<Skeleton className="h-80 rounded-lg" />}>
      {(slurm) => (
        <>
          <ClusterSummary status={toClusterStatus(slurm, measured)} scheduler={scheduler} />
          <MissingWorkers totals={slurm.totals} admin={admin} />
          <SlurmNodes slurm={slurm} filter={filter} onFilter={setFilter} />
          <SlurmPartitions partitions={slurm.partitions} />
          <SlurmOtherJobs jobs={slurm.other_jobs} admin={admin} />
        </>
      )}
    </Loaded>
  )
}

/** The totals of Slurm. The load is that of the nodes with a worker of gpuq. */
function toClusterStatus(
  { totals }: SlurmClusterView,
  { load_percent, simulated_gpus }: Cluster['cluster_status'],
): Cluster['cluster_status'] {
  return {
    total_gpus: totals.gpus,
    available_gpus: totals.free_gpus,
    allocated_gpus: totals.used_gpus,
    utilization_percent: totals.gpus === 0 ? 0 : (totals.used_gpus / totals.gpus) * 100,
    load_percent,
    nodes: totals.nodes,
    ready_nodes: totals.ready_nodes,
    simulated_gpus: Math.min(simulated_gpus, totals.gpus),
  }
}
