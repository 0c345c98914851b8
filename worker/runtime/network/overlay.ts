import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type JobNetwork, RuntimeFault } from '../runtime'
import { bridgeName, mtu } from '../spec/network-spec'

/** Runs one of iproute2's programs in the engine's network namespace, and gives what it printed. */
export type RunIproute = (program: 'ip' | 'bridge', args: string[]) => Promise<string>

const runProgram = promisify(execFile)
const patienceMs = 10_000

export const runIproute: RunIproute = async (program, args) =>
  (await runProgram(program, args, { timeout: patienceMs, env: { ...process.env, LC_ALL: 'C' } })).stdout

/** Where VXLAN is spoken, by its standard. */
const port = '4789'
/** Stands for every address that is not known yet, and for broadcasts. */
const everyone = '00:00:00:00:00:00'

const interfaceName = (vni: number): string => `gpuqx-${vni.toString(16)}`

/** The addresses of the other machines that have a part in a network; none: it stays on this one. */
export function remotesOf({ peers }: Pick<JobNetwork, 'peers'>): string[] {
  const remotes = peers.flatMap(({ machine }) => {
    if (machine === null) return []
    if (machine.address === null || /^127\./.test(machine.address))
      throw fault(
        `node "${machine.node}" has told no address that other nodes reach. Set GPUQ_NODE_ADDRESS for its worker.`,
      )
    return [machine.address]
  })
  return [...new Set(remotes)].sort()
}

/**
 * Spans an attempt's network over the machines that have a part in it: what one machine's bridge does not know, it sends
 * to all others inside UDP packets (VXLAN), so that to the tasks it is one network. Doing it again changes nothing.
 */
export async function spanMachines(network: JobNetwork, run: RunIproute = runIproute): Promise<void> {
  const remotes = remotesOf(network)
  if (remotes.length === 0) return
  const name = interfaceName(network.vni)
  try {
    if (await isSpanned(network, remotes, run)) return
    // One that is there may be an earlier attempt's, with other machines: made anew, it is right.
    await removeSpan(network.vni, run)
    await run('ip', ['link', 'add', name, 'type', 'vxlan', 'id', String(network.vni), 'dstport', port])
    for (const remote of remotes) await run('bridge', ['fdb', 'append', everyone, 'dev', name, 'dst', remote])
    await run('ip', ['link', 'set', name, 'mtu', String(mtu), 'master', bridgeName(network), 'up'])
  } catch (error) {
    throw error instanceof RuntimeFault ? error : fault(explain(error), error)
  }
}

/** Whether an earlier task of the attempt has done it: what goes on over it must not be interrupted. */
async function isSpanned(network: JobNetwork, remotes: string[], run: RunIproute): Promise<boolean> {
  const name = interfaceName(network.vni)
  try {
    const link = await run('ip', ['-o', 'link', 'show', name])
    const table = await run('bridge', ['fdb', 'show', 'dev', name])
    const known = [...table.matchAll(/^00:00:00:00:00:00 dst (\S+)/gm)].map(([, remote]) => remote)
    return link.includes(`master ${bridgeName(network)} `) && known.sort().join() === remotes.join()
  } catch (error) {
    if (/does not exist|Cannot find device/.test(said(error))) return false
    throw error
  }
}

/** Takes the network back to this machine. One that does not span others is left as it is. */
export async function removeSpan(vni: number, run: RunIproute = runIproute): Promise<void> {
  await run('ip', ['link', 'delete', interfaceName(vni)]).catch((error: unknown) => {
    if (!/Cannot find device/.test(said(error))) throw error
  })
}

function fault(why: string, cause?: unknown): RuntimeFault {
  return new RuntimeFault('engine_error', `The job's network could not be spanned over its nodes: ${why}`, {
    cause,
  })
}

const said = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** What is missing on this node, and how to mend it. */
function explain(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    return 'the commands ip and bridge are missing on this node. Install iproute2.'
  const text = said(error)
  if (/not permitted|EPERM/i.test(text))
    return 'the worker of this node may not make network interfaces. Run it as root, or with CAP_NET_ADMIN.'
  if (/Cannot find device|Device does not exist/i.test(text))
    return "the worker of this node does not see the engine's networks. Run it on the host's own network."
  if (/Unknown device type|not supported/i.test(text)) return "this node's kernel has no VXLAN."
  return text.trim().split('\n').at(-1) ?? text
}
