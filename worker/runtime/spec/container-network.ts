import type { TaskContainer } from '../runtime'
import { networkName } from './network-spec'

/**
 * The part of the engine's create options that says whom a task reaches, and under which names.
 * @param internetNetwork the engine's network for tasks with `network: 'internet'`.
 */
export function containerNetwork(task: TaskContainer, internetNetwork: string) {
  if (task.network === 'none')
    // Without a network the engine gives the host's own name no address, and gloo warns about it on every start.
    return { ...alone, NetworkMode: 'none', ExtraHosts: ['gpuq:127.0.0.1'] }
  if (task.network === 'internet') return { ...alone, NetworkMode: internetNetwork, ExtraHosts: [] }
  const name = networkName(task)
  const { peers, internet } = task.network
  const address = peers[task.rank]?.address ?? ''
  return {
    hostname: rankName(task.rank),
    networkName: name,
    endpoints: { [name]: { IPAMConfig: { IPv4Address: address } } },
    NetworkMode: name,
    // gloo and NCCL find the interface that the others reach by their own host's name.
    ExtraHosts: peers.map((peer, rank) => `${rankName(rank)}:${peer.address}`),
    // Engines up to 26 pass questions about names on to the host's own resolver, and with them whatever a job writes
    // into a name, even out of a network that reaches nothing else.
    ...(internet ? {} : { Dns: ['127.0.0.1'], DnsOptions: ['timeout:1', 'attempts:1'] }),
  }
}

const alone = { hostname: 'gpuq', networkName: null, endpoints: {} }

/** What the tasks of a job call each other. */
const rankName = (rank: number): string => `rank-${rank}`
