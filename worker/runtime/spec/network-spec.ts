import type { JobNetwork, TaskContainer } from '../runtime'

export type NetworkSpec = ReturnType<typeof jobNetworkSpec> | typeof internetNetworkSpec

/** Maximum packet size in bytes; equal on every network, with or without VXLAN encapsulation. */
export const mtu = 1450

/** One name for each attempt, equal on all of its nodes. */
export function networkName(task: Pick<TaskContainer, 'jobId' | 'attempt'>): string {
  return `gpuq-${task.jobId}-${task.attempt}`
}

/** The name of the bridge on the host: at most 15 characters. */
export const bridgeName = ({ vni }: Pick<JobNetwork, 'vni'>): string => `gpuq-${vni.toString(16)}`

/**
 * The engine's create options for an attempt's network. It reaches only its own tasks: `Internal` excludes other
 * networks, and the host has no address on it at which its services would be reachable.
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
      // The same option in engines from version 27.
      'com.docker.network.bridge.gateway_mode_ipv4': 'isolated',
      'com.docker.network.driver.mtu': String(mtu),
    },
  }
}

/** The bridge of {@link internetNetworkSpec} on the host, by which the firewall knows the packets of jobs. */
export const internetBridge = 'gpuq-internet'

/**
 * The engine's network of all tasks with internet access; it isolates the tasks from each other. The firewall of
 * `network/internet-firewall.ts` keeps them from everything that is not public.
 */
export const internetNetworkSpec = {
  Name: 'gpuq-internet',
  CheckDuplicate: true,
  Driver: 'bridge',
  EnableIPv6: false,
  Options: {
    'com.docker.network.bridge.name': internetBridge,
    'com.docker.network.bridge.enable_icc': 'false',
  },
}

/** The name of that network in versions without the firewall. */
export const formerInternetNetwork = 'gpuq'
