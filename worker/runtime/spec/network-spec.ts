import type { JobNetwork, TaskContainer } from '../runtime'

export type NetworkSpec = ReturnType<typeof jobNetworkSpec> | ReturnType<typeof internetNetworkSpec>

/** Bytes of the longest packet: on every network the same, whether or not it is carried to another node inside others. */
export const mtu = 1450

/** One name per attempt: every node of it looks for the same. */
export function networkName(task: Pick<TaskContainer, 'jobId' | 'attempt'>): string {
  return `gpuq-${task.jobId}-${task.attempt}`
}

/** The name of the bridge on the host: at most 15 characters. */
export const bridgeName = ({ vni }: Pick<JobNetwork, 'vni'>): string => `gpuq-${vni.toString(16)}`

/**
 * The engine's create options for an attempt's network. It reaches its own tasks only: `Internal` keeps every other
 * network out, and the host has no address on it, which a service listening everywhere would be reached at.
 */
export function jobNetworkSpec(name: string, network: JobNetwork, labels: Record<string, string>) {
  return {
    Name: name,
    CheckDuplicate: true,
    Driver: 'bridge',
    Internal: true,
    EnableIPv6: false,
    IPAM: { Config: [{ Subnet: network.subnet }] },
    Labels: labels,
    Options: {
      'com.docker.network.bridge.name': bridgeName(network),
      'com.docker.network.bridge.enable_icc': 'true',
      'com.docker.network.bridge.enable_ip_masquerade': 'false',
      'com.docker.network.bridge.inhibit_ipv4': 'true',
      // The same, as engines from 27 call it.
      'com.docker.network.bridge.gateway_mode_ipv4': 'isolated',
      'com.docker.network.driver.mtu': String(mtu),
    },
  }
}

/** The network of all tasks that may reach the internet: it, but not each other. */
export function internetNetworkSpec(name: string) {
  const options = { 'com.docker.network.bridge.enable_icc': 'false' }
  return { Name: name, CheckDuplicate: true, Driver: 'bridge', Options: options }
}
