import { listEnvironments } from '../access/environments'
import { readCluster } from '../cluster/overview/read-cluster'
import type { ClusterNode } from '../contract/cluster/cluster'
import { countActiveJobs } from '../jobs/read/active-jobs'
import type { ToolCall } from './tool-call'

/** Returns what an agent needs to choose GPUs and an environment: totals per node instead of single GPUs. */
export async function viewCluster({ actor }: ToolCall) {
  const [{ cluster_status, nodes }, environments, { byStatus }] = await Promise.all([
    readCluster(actor),
    listEnvironments(actor),
    countActiveJobs(),
  ])
  return {
    ...cluster_status,
    queued_jobs: byStatus.pending,
    running_jobs: byStatus.scheduled + byStatus.running,
    nodes: nodes.filter(({ state }) => state !== 'lost' && state !== 'drained').map(toNode),
    environments: environments.filter(({ enabled }) => enabled),
  }
}

function toNode({ name, state, reason, simulated, gpus }: ClusterNode) {
  const present = gpus.filter((gpu) => gpu.state !== 'missing')
  const memory = present.map(({ memory_mib }) => memory_mib)
  return {
    name,
    state,
    reason,
    simulated: simulated || (present.length > 0 && present.every((gpu) => gpu.simulated)),
    gpu_models: [...new Set(present.map(({ model }) => model))],
    gpu_memory_gb: memory.length === 0 ? null : Math.round(Math.min(...memory) / 102.4) / 10,
    gpus: present.length,
    free_gpus: present.filter((gpu) => gpu.state === 'free').length,
  }
}
