import { isReservedVariable, type RankVariable } from '@/lib/contract/config/reserved-variables'
import type { TaskContainer } from '../runtime'

/** The port on which rank 0 listens. Each job has its own addresses, so one port is enough. */
const masterPort = 29_500

/** Defaults, then the job's own variables, then those of features and those of every task; later ones win. */
export function buildEnvironment(task: TaskContainer, realGpus: string[]): string[] {
  const defaults = {
    HOME: '/work',
    TMPDIR: '/tmp',
    // The uid has no entry in the image's passwd file, which getpass would read without these.
    USER: 'gpuq',
    LOGNAME: 'gpuq',
    // Without these limits, torch and numpy start a thread for every core of the host and are then throttled.
    OMP_NUM_THREADS: String(Math.max(1, Math.floor(task.cpuMilli / 1000))),
    ...(task.tty ? { TERM: 'xterm-256color' } : {}),
  }
  const own = Object.entries(task.env).filter(([name]) => isVariableName(name) && !isReservedVariable(name))
  const fixed = {
    GPUQ_JOB_ID: task.jobId,
    GPUQ_ATTEMPT: String(task.attempt),
    GPUQ_RANK: String(task.rank),
    ...(task.runName !== null && { GPUQ_RUN_NAME: task.runName }),
    ...(task.workspace === null ? {} : { GPUQ_WORKSPACE: task.workspace.path }),
    ...(task.checkpoints === null ? {} : { GPUQ_CHECKPOINT_DIR: '/checkpoints' }),
    ...rankVariables(task),
    // `void` also overrides an image's own `all`, which a host with NVIDIA's runtime as default would honor.
    NVIDIA_VISIBLE_DEVICES: realGpus.length === 0 ? 'void' : realGpus.join(','),
    NVIDIA_DRIVER_CAPABILITIES: 'compute,utility',
  }
  const all = { ...defaults, ...Object.fromEntries(own), ...task.variables, ...fixed }
  return Object.entries(all).map(([name, value]) => `${name}=${value}`)
}

/** The variables that torchrun and similar launchers expect in a multi-node task. */
function rankVariables({ network, rank }: TaskContainer): Record<string, string> {
  if (typeof network === 'string') return {}
  const processes = network.peers[rank]?.processes ?? 1
  return {
    MASTER_ADDR: network.peers[0]?.address ?? '',
    MASTER_PORT: String(masterPort),
    NODE_RANK: String(rank),
    NNODES: String(network.peers.length),
    NPROC_PER_NODE: String(processes),
    // All tasks of a job have the same number of GPUs.
    WORLD_SIZE: String(network.peers.length * processes),
    GPUQ_HOSTFILE: '/job/hostfile',
  } satisfies Record<RankVariable | 'GPUQ_HOSTFILE', string>
}

/** Any other name could contain an `=` and set a different variable than the one that was checked. */
function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}
