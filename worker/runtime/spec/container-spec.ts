import { createHash } from 'node:crypto'
import { workdirCapacity } from '@/lib/archives/workdir-capacity'
import type { TaskContainer } from '../runtime'
import { buildEnvironment } from './container-environment'
import { containerNetwork } from './container-network'
import { buildSeccompProfile } from './seccomp'

/** What a node adds to a task: the same for every container on it. */
export interface ContainerPolicy {
  /** gpuq's version, kept in a label. */
  version: string
  /** Bytes of records after which the caller ends a job: the engine's own log must hold at least that much. */
  outputLimitBytes: number
  /** The engine's network for tasks with `network: 'internet'`. */
  internetNetwork: string
  /** Another OCI runtime, such as gVisor's `runsc`; the engine's default where left out. */
  ociRuntime?: string | undefined
}

/** What the image brings along that has to be undone. */
export interface ImageTraits {
  /** Paths that the image declares as volumes: the engine would make unlimited, writable ones on its disk. */
  volumes: string[]
}

const MiB = 1024 * 1024
const userRange = { first: 10_001, count: 50_000 }

/** The group of every task: what a task's directory may be readable by. */
export const taskGid = 10_001

/** Below the hard limit of every engine seen (one had 20,000, and refuses to start a container that asks more). */
const openFiles = 16_384

export const labels = {
  job: 'gpuq.job',
  task: 'gpuq.task',
  attempt: 'gpuq.attempt',
  rank: 'gpuq.rank',
  node: 'gpuq.node',
  version: 'gpuq.version',
  network: 'gpuq.network',
  /** Only on a container with a terminal. */
  terminal: 'gpuq.terminal',
} as const

/** One name per job, attempt and rank: the engine refuses a second container of the same task. */
export function containerName(task: Pick<TaskContainer, 'jobId' | 'attempt' | 'rank'>): string {
  return `gpuq-${task.jobId}-${task.attempt}-${task.rank}`
}

/**
 * The uid that a task runs under. Linux counts inotify instances, descriptors in flight over sockets and pipe memory
 * per uid, across containers: under one shared uid, a job that uses them up breaks the DataLoader of every other
 * job on the node. The range fits the 65,536 ids of an engine with user namespaces.
 */
export function taskUid(taskId: string): number {
  return userRange.first + (createHash('sha256').update(taskId).digest().readUInt32BE() % userRange.count)
}

/**
 * Whom a task runs as: itself; the user who submitted it, where it works in a directory on shared storage; or the run that
 * it is an attempt at, whose files it finds.
 */
export function taskUser({
  taskId,
  workspace,
  checkpoints,
}: Pick<TaskContainer, 'taskId' | 'workspace' | 'checkpoints'>): TaskUser {
  return workspace ?? checkpoints ?? { uid: taskUid(taskId), gid: taskGid }
}

export interface TaskUser {
  uid: number
  gid: number
}

/** The engine's create options for a task. Pure: the same task always gives the same container. */
export function buildContainerSpec(task: TaskContainer, policy: ContainerPolicy, image: ImageTraits) {
  const user = taskUser(task)
  const [program = '', ...programArguments] = task.command
  const { hostname, networkName, endpoints, ...network } = containerNetwork(task, policy.internetNetwork)
  return {
    name: containerName(task),
    Image: task.image,
    // Both are given, so that neither the image's entrypoint nor its command takes part.
    Entrypoint: [program],
    Cmd: programArguments,
    User: `${user.uid}:${user.gid}`,
    WorkingDir: task.workspace?.startsHere ? task.workspace.path : '/work',
    Hostname: hostname,
    Env: buildEnvironment(task, realGpus(task)),
    Labels: {
      [labels.job]: task.jobId,
      [labels.task]: task.taskId,
      [labels.attempt]: String(task.attempt),
      [labels.rank]: String(task.rank),
      [labels.node]: task.nodeId,
      [labels.version]: policy.version,
      ...(networkName === null ? {} : { [labels.network]: networkName }),
      ...(task.tty ? { [labels.terminal]: 'true' } : {}),
    },
    StopSignal: 'SIGTERM',
    Tty: task.tty,
    OpenStdin: task.tty,
    // Who types leaves and comes back: the program must not see the end of its input for that.
    StdinOnce: false,
    // An image's own health check would run beside the job, on its CPU.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...isolation(task, policy),
      ...network,
      ...limits(task, policy),
      Mounts: [
        {
          Type: 'bind' as const,
          Source: task.directory,
          Target: '/job',
          ReadOnly: true,
          BindOptions: { Propagation: 'rprivate' as const },
        },
        ...resultsMount(task),
        ...workspaceMount(task),
        ...checkpointsMount(task),
      ],
      Tmpfs: writablePaths(task, user, image),
      ...deviceRequests(task),
    },
    NetworkingConfig: { EndpointsConfig: endpoints },
  }
}

/** Of a run, whose next attempt may be on another host. */
function checkpointsMount({ checkpoints }: TaskContainer) {
  if (checkpoints === null) return []
  const options = { Propagation: 'rprivate' as const, NonRecursive: true }
  const { path } = checkpoints
  return [
    { Type: 'bind' as const, Source: path, Target: '/checkpoints', ReadOnly: false, BindOptions: options },
  ]
}

/** The one path of the host beside the task's own directory. What is mounted within it is not seen. */
function workspaceMount({ workspace }: TaskContainer) {
  if (workspace === null) return []
  const { path } = workspace
  const options = { Propagation: 'rprivate' as const, NonRecursive: true }
  return [{ Type: 'bind' as const, Source: path, Target: path, ReadOnly: false, BindOptions: options }]
}

function isolation(task: TaskContainer, policy: ContainerPolicy) {
  // Ranks talk over the network or beside real GPUs. Nobody else has interfaces worth listing.
  const netlinkRoute = task.network !== 'none' || realGpus(task).length > 0
  const seccomp = JSON.stringify(buildSeccompProfile({ netlinkRoute }))
  return {
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true', `seccomp=${seccomp}`],
    ReadonlyRootfs: true,
    IpcMode: 'private',
    CgroupnsMode: 'private' as const,
    Init: true,
    ...(policy.ociRuntime === undefined ? {} : { Runtime: policy.ociRuntime }),
  }
}

function limits(task: TaskContainer, policy: ContainerPolicy) {
  const memory = task.memoryMib * MiB
  return {
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: task.cpuMilli * 1_000_000,
    PidsLimit: 1024 + 128 * Math.ceil(task.cpuMilli / 1000),
    // When the host itself runs short, a job goes before the host's services do.
    OomScoreAdj: 500,
    ShmSize: sharedMemoryBytes(task),
    Ulimits: [
      { Name: 'nofile', Soft: openFiles, Hard: openFiles },
      { Name: 'core', Soft: 0, Hard: 0 },
      // /dev/mqueue is a writable path too.
      { Name: 'msgqueue', Soft: 0, Hard: 0 },
    ],
    RestartPolicy: { Name: 'no' },
    // `local` keeps bytes as they are, where json-file replaces what is not UTF-8. The limit counts records, each of
    // which is larger than its entry here: nothing is rotated away before the limit ends the job, and what is left
    // after a rotation is still over the limit.
    LogConfig: {
      Type: 'local',
      Config: {
        'max-size': String(policy.outputLimitBytes * 2),
        'max-file': '2',
        compress: 'true',
      },
    },
  }
}

/** A file system with limits of its own, which outlives the container until what lies there is stored. */
function resultsMount({ results }: TaskContainer) {
  if (results === null) return []
  const BindOptions = { Propagation: 'rprivate' as const }
  return [{ Type: 'bind' as const, Source: results, Target: '/results', ReadOnly: false, BindOptions }]
}

const sharedMemoryBytes = (task: TaskContainer) => Math.floor((task.memoryMib * MiB) / 2)

/**
 * Every path a task can write, each with an end by size and by number of files. They are memory and count as the
 * task's own. /work and /tmp may hold programs: torch.compile and Triton load what they have just compiled there.
 */
function writablePaths(
  task: TaskContainer,
  { uid, gid }: TaskUser,
  image: ImageTraits,
): Record<string, string> {
  const bytes = task.memoryMib * MiB
  const own = `mode=0700,uid=${uid},gid=${gid}`
  const tmpfs = (size: number, inodes: number, rest: string) =>
    `rw,nosuid,nodev,${rest},size=${Math.floor(size)},nr_inodes=${inodes}`
  const { results, workspace, checkpoints } = task
  const mounted = new Set([
    '/job',
    ...(results === null ? [] : ['/results']),
    ...(workspace ? [workspace.path] : []),
    ...(checkpoints ? ['/checkpoints'] : []),
  ])
  const declared = image.volumes.filter((path) => !mounted.has(path))
  return {
    ...Object.fromEntries(declared.map((path) => [path, tmpfs(bytes / 4, 32_768, `noexec,${own}`)])),
    '/work': tmpfs(workdirCapacity(task.memoryMib), 131_072, `exec,${own}`),
    '/tmp': tmpfs(bytes / 4, 32_768, 'exec,mode=1777'),
    '/dev/shm': tmpfs(sharedMemoryBytes(task), 32_768, 'noexec,mode=1777'),
  }
}

/** Simulated GPUs are not devices: nothing is asked from the engine for them. */
const realGpus = (task: TaskContainer): string[] => (task.simulated ? [] : task.gpuUuids)

function deviceRequests(task: TaskContainer) {
  const uuids = realGpus(task)
  if (uuids.length === 0) return {}
  return {
    DeviceRequests: [{ Driver: 'nvidia', DeviceIDs: uuids, Capabilities: [['gpu', 'compute', 'utility']] }],
  }
}
