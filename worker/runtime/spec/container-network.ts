import type { TaskContainer } from '../runtime'
import { internetNetworkSpec, networkName } from './network-spec'

/** The engine's create options for networks and host names. */
export function containerNetwork(task: TaskContainer) {
  if (task.network === 'none')
    // Without a network, the engine assigns no address to the host name, and gloo warns about that on every start.
    return { ...alone, NetworkMode: 'none', ExtraHosts: ['gpuq:127.0.0.1'] }
  if (task.network === 'internet') return { ...alone, NetworkMode: internetNetworkSpec.Name, ExtraHosts: [] }
  const name = networkName(task)
  const { peers, internet } = task.network
  const address = peers[task.rank]?.address ?? ''
  return {
    hostname: rankName(task.rank),
    networkName: name,
    endpoints: { [name]: { IPAMConfig: { IPv4Address: address } } },
    NetworkMode: name,
    // gloo and NCCL find the shared interface through their own host name.
    ExtraHosts: peers.map((peer, rank) => `${rankName(rank)}:${peer.address}`),
    // Engines up to 26 forward DNS queries to the host's resolver, so a job could send data in names even from an
    // isolated network.
    ...(internet ? {} : { Dns: ['127.0.0.1'], DnsOptions: ['timeout:1', 'attempts:1'] }),
  }
}

const alone = { hostname: 'gpuq', networkName: null, endpoints: {} }

/** The host name of a task for its peers. */
const rankName = (rank: number): string => `rank-${rank}`
