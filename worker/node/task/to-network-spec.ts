import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { addressOf, type JobNetworks, subnetOf } from '@/lib/contract/job-network'
import { type JobNetwork, RuntimeFault } from '../../runtime/runtime'
import { processesOf } from './task-directory'

/**
 * The network that a task shares with the attempt's others.
 * @throws when its number was given out by a leader that has another range than this node.
 */
export function toNetworkSpec(task: ClaimedTask, index: number, jobNetworks: JobNetworks): JobNetwork {
  if (index >= jobNetworks.count)
    throw new RuntimeFault(
      'engine_error',
      `The job's network has number ${index}, and this node has ${jobNetworks.count}: GPUQ_JOB_NETWORKS must be the same on every node.`,
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
