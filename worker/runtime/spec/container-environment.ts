import { isReservedVariable, type RankVariable } from '@/lib/contract/config/reserved-variables'
import type { TaskContainer } from '../runtime'

/** Where rank 0 listens for the others: each job has its addresses to itself, so one number does for all. */
const masterPort = 29_500

/** Defaults, then the job's own variables, then what a job cannot change: the later wins. */
export function buildEnvironment(task: TaskContainer, realGpus: string[]): string[] {
  const defaults = {
    HOME: '/work',
    TMPDIR: '/tmp',
    // The uid has no entry in the image's passwd, where getpass would look without these.
    USER: 'gpuq',
    LOGNAME: 'gpuq',
    // Else torch and numpy start a thread for every core of the host and are throttled to their share.
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
    // `void` also undoes an image's own `all`, which a host with NVIDIA's runtime as default would obey.
    NVIDIA_VISIBLE_DEVICES: realGpus.length === 0 ? 'void' : realGpus.join(','),
    NVIDIA_DRIVER_CAPABILITIES: 'compute,utility',
  }
  return Object.entries({ ...defaults, ...Object.fromEntries(own), ...fixed }).map(
    ([name, value]) => `${name}=${value}`,
  )
}

/** What torchrun and its like expect to find, for a task that is one of several. */
function rankVariables({ network, rank }: TaskContainer): Record<string, string> {
  if (typeof network === 'string') return {}
  const processes = network.peers[rank]?.processes ?? 1
  return {
    MASTER_ADDR: network.peers[0]?.address ?? '',
    MASTER_PORT: String(masterPort),
    NODE_RANK: String(rank),
    NNODES: String(network.peers.length),
    NPROC_PER_NODE: String(processes),
    // Every task of a job has as many GPUs as the others.
    WORLD_SIZE: String(network.peers.length * processes),
    GPUQ_HOSTFILE: '/job/hostfile',
  } satisfies Record<RankVariable | 'GPUQ_HOSTFILE', string>
}

/** Anything else could carry an `=` and set a variable under another name than the one that was checked. */
function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}
