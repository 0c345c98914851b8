import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { addressOf, type JobNetworks, subnetOf } from '@/lib/contract/job-network'
import { type JobNetwork, RuntimeFault } from '../../runtime/runtime'
import { processesOf } from './task-directory'

/**
 * Returns the network that a task shares with the other tasks of its attempt.
 * @throws if the leader uses a larger range than this node.
 */
export function toNetworkSpec(task: ClaimedTask, index: number, jobNetworks: JobNetworks): JobNetwork {
  if (index >= jobNetworks.count)
    throw new RuntimeFault(
      'engine_error',
      `The job's network has index ${index}, but this node has only ${jobNetworks.count} networks. Set GPUQ_JOB_NETWORKS to the same value on every node.`,
    )
  const { cidr: subnet, vni } = subnetOf(jobNetworks, index)
  const own = task.peers.find(({ rank }) => rank === task.rank)
  const peers = task.peers.map(({ rank, gpuCount, nodeName: node, machineId, address }) => ({
    address: addressOf(jobNetworks, index, rank),
    processes: processesOf(gpuCount),
    machine: machineId === own?.machineId ? null : { node, address },
  }))
  return { subnet, vni, peers, internet: task.network === 'internet' }
}
