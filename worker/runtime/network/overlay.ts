import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { errorCode } from '@/lib/contract/error-code'
import { type JobNetwork, RuntimeFault } from '../runtime'
import { bridgeName, mtu } from '../spec/network-spec'

/** Runs a program of iproute2 in the engine's network namespace, and returns its output. */
export type RunIproute = (program: 'ip' | 'bridge', args: string[]) => Promise<string>

const runProgram = promisify(execFile)
const timeoutMs = 10_000

export const runIproute: RunIproute = async (program, args) =>
  (await runProgram(program, args, { timeout: timeoutMs, env: { ...process.env, LC_ALL: 'C' } })).stdout

/** The standard port of VXLAN. */
const vxlanPort = '4789'
/** The MAC address for broadcasts and unknown destinations. */
const broadcastMac = '00:00:00:00:00:00'

const interfaceName = (vni: number): string => `gpuqx-${vni.toString(16)}`

/** The addresses of the other machines of a network; empty if it stays on this machine. */
export function remotesOf({ peers }: Pick<JobNetwork, 'peers'>): string[] {
  const remotes = peers.flatMap(({ machine }) => {
    if (machine === null) return []
    if (machine.address === null || /^127\./.test(machine.address))
      throw fault(
        `Node "${machine.node}" has no address that other nodes can reach. Set GPUQ_NODE_ADDRESS for its worker.`,
      )
    return [machine.address]
  })
  return [...new Set(remotes)].sort()
}

/**
 * Connects an attempt's network across its machines with VXLAN (RFC 7348): frames for unknown destinations are sent
 * to all other machines in UDP packets, so the tasks see one network. Idempotent.
 */
export async function connectMachines(network: JobNetwork, run: RunIproute = runIproute): Promise<void> {
  const remotes = remotesOf(network)
  if (remotes.length === 0) return
  const name = interfaceName(network.vni)
  try {
    if (await isConnected(network, remotes, run)) return
    // An existing interface may belong to an earlier attempt with other machines, so it is created again.
    await removeVxlan(network.vni, run)
    await run('ip', ['link', 'add', name, 'type', 'vxlan', 'id', String(network.vni), 'dstport', vxlanPort])
    for (const remote of remotes)
      await run('bridge', ['fdb', 'append', broadcastMac, 'dev', name, 'dst', remote])
    await run('ip', ['link', 'set', name, 'mtu', String(mtu), 'master', bridgeName(network), 'up'])
  } catch (error) {
    throw error instanceof RuntimeFault ? error : fault(explain(error), error)
  }
}

/** Whether an earlier task of the attempt has already connected it. Its traffic must not be interrupted. */
async function isConnected(network: JobNetwork, remotes: string[], run: RunIproute): Promise<boolean> {
  const name = interfaceName(network.vni)
  try {
    const link = await run('ip', ['-o', 'link', 'show', name])
    const table = await run('bridge', ['fdb', 'show', 'dev', name])
    const known = [...table.matchAll(/^00:00:00:00:00:00 dst (\S+)/gm)].map(([, remote]) => remote)
    return link.includes(`master ${bridgeName(network)} `) && known.sort().join() === remotes.join()
  } catch (error) {
    if (/does not exist|Cannot find device/.test(messageOf(error))) return false
    throw error
  }
}

/** Disconnects the network from other machines. Does nothing if it is not connected. */
export async function removeVxlan(vni: number, run: RunIproute = runIproute): Promise<void> {
  await run('ip', ['link', 'delete', interfaceName(vni)]).catch((error: unknown) => {
    if (!/Cannot find device/.test(messageOf(error))) throw error
  })
}

function fault(why: string, cause?: unknown): RuntimeFault {
  return new RuntimeFault(
    'engine_error',
    `The job's network could not be connected across its nodes: ${why}`,
    {
      cause,
    },
  )
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Describes what this node lacks, and how to fix it. */
function explain(error: unknown): string {
  if (errorCode(error) === 'ENOENT')
    return 'the commands ip and bridge are missing on this node. Install iproute2.'
  const text = messageOf(error)
  if (/not permitted|EPERM/i.test(text))
    return 'the worker of this node may not create network interfaces. Run it as root or with CAP_NET_ADMIN.'
  if (/Cannot find device|Device does not exist/i.test(text))
    return "the worker of this node is not in the engine's network namespace. Run it on the host network."
  if (/Unknown device type|not supported/i.test(text))
    return "this node's kernel does not support VXLAN. Load the module vxlan."
  return text.trim().split('\n').at(-1) ?? text
}
