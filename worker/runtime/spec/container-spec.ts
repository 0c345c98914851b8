import { createHash } from 'node:crypto'
import { version } from '../../../package.json'
import type { TaskContainer } from '../runtime'
import { buildEnvironment } from './container-environment'
import { mounts, sharedMemoryBytes, writablePaths } from './container-mounts'
import { containerNetwork } from './container-network'
import { buildSeccompProfile } from './seccomp'

/** Options that are equal for every container of a node. */
export interface ContainerPolicy {
  /** Bytes of records after which the caller ends a job. The engine's own log must hold at least this much. */
  outputLimitBytes: number
  /**
   * Whether the engine labels containers with SELinux. Its runtime then writes below /proc after the paths became
   * read-only, and could not start the container.
   */
  selinux?: boolean | undefined
  /** Whether the engine can put a container below any cgroup. */
  anyCgroup?: boolean | undefined
  /** Whether the kernel has IPv6. Without it, a container with a setting of IPv6 could not start. */
  ipv6?: boolean | undefined
  /** An alternative OCI runtime, such as gVisor's `runsc`; default: the engine's. */
  ociRuntime?: string | undefined
}

/** Declarations of the image that must be overridden. */
export interface ImageTraits {
  /**
   * Paths that the image declares as volumes, for which the engine would create unlimited writable volumes on its
   * disk.
   */
  volumes: string[]
}

const MiB = 1024 * 1024
const seccomp = JSON.stringify(buildSeccompProfile())
const userRange = { first: 10_001, count: 50_000 }

/** The group of every task, which may read a task's directory. */
export const taskGid = 10_001

/**
 * All of /proc: otherwise a job could write its `oom_score_adj` back to 0, and the kernel would spare it. The kernel
 * prevents this only if the engine has CAP_SYS_RESOURCE, which it lacks in some containers and virtual machines.
 * Includes the engine's default list.
 *
 * With a real GPU only that default list applies: the CUDA library names its threads in `/proc/self/task/ID/comm`, and
 * refuses to start (CUDA_ERROR_OPERATING_SYSTEM) if it cannot.
 */
const readonlyPaths = ['/proc']

/** Below the hard limit of every known engine. One has 20,000, and does not start a container that requests more. */
const openFiles = 16_384

export const labels = {
  job: 'gpuq.job',
  task: 'gpuq.task',
  attempt: 'gpuq.attempt',
  rank: 'gpuq.rank',
  node: 'gpuq.node',
  version: 'gpuq.version',
  network: 'gpuq.network',
  /** Only on containers that mount snapshots: the hashes of their archives, with commas. */
  snapshots: 'gpuq.snapshots',
  /** Only on containers with a terminal. */
  terminal: 'gpuq.terminal',
  /** Only on containers that started before their task was known. They have no labels of a task. */
  warm: 'gpuq.warm',
} as const

/** The version that created a container or network. */
export const versionLabel = { [labels.version]: version }

type TaskIdentity = Pick<TaskContainer, 'jobId' | 'attempt' | 'rank' | 'taskId'>

/**
 * One name for each task, so the engine refuses a second container of the same task. It has everything that identifies the
 * task, because the labels of a container cannot change after its creation.
 */
export function containerName({ jobId, attempt, rank, taskId }: TaskIdentity): string {
  return `gpuq-${jobId}-${attempt}-${rank}-${taskId}`
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const namePattern = new RegExp(`^/?gpuq-(${uuid})-(\\d+)-(\\d+)-(${uuid})$`)

/** Reads a name of {@link containerName}; null for any other name. */
export function parseContainerName(name: string): TaskIdentity | null {
  const [, jobId, attempt, rank, taskId] = namePattern.exec(name) ?? []
  if (jobId === undefined || taskId === undefined) return null
  return { jobId, attempt: Number(attempt), rank: Number(rank), taskId }
}

/**
 * The uid of a task. Linux counts inotify instances, descriptors in flight and pipe memory per uid across
 * containers, so under one shared uid a job could exhaust them and break the DataLoader of every other job on the
 * node. The range fits the 65,536 ids of an engine with user namespaces.
 */
export function taskUid(taskId: string): number {
  return userRange.first + (createHash('sha256').update(taskId).digest().readUInt32BE() % userRange.count)
}

/**
 * The user of a task: its own uid, or that of the container that waited for it; the submitter, if it works in a directory
 * on shared storage; or the uid of its run, whose files it needs.
 */
export function taskUser({
  taskId,
  workspace,
  checkpoints,
  warm,
}: Pick<TaskContainer, 'taskId' | 'workspace' | 'checkpoints' | 'warm'>): TaskUser {
  return workspace ?? checkpoints ?? warm?.user ?? { uid: taskUid(taskId), gid: taskGid }
}

export interface TaskUser {
  uid: number
  gid: number
}

/** The engine's create options for a task. */
export type ContainerSpec = ReturnType<typeof buildContainerSpec>

/** Returns the engine's create options for a task. Pure: equal tasks give equal containers. */
export function buildContainerSpec(task: TaskContainer, policy: ContainerPolicy, image: ImageTraits) {
  const user = taskUser(task)
  const [program = '', ...programArguments] = task.command
  const { hostname, networkName, endpoints, ...network } = containerNetwork(task)
  return {
    name: containerName(task),
    Image: task.image,
    // Sets both, so that neither the image's entrypoint nor its command applies.
    Entrypoint: [program],
    Cmd: programArguments,
    User: `${user.uid}:${user.gid}`,
    WorkingDir: startOf(task),
    Hostname: hostname,
    Env: buildEnvironment(task, realGpus(task)),
    Labels: labelsOf(task, networkName),
    StopSignal: 'SIGTERM',
    Tty: task.tty,
    OpenStdin: task.tty,
    // Users detach and attach again, so the program must not see the end of its input.
    StdinOnce: false,
    // An image's health check would use the job's CPU.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...isolation(task, policy),
      ...network,
      ...loopback(policy),
      ...limits(task, policy),
      Mounts: mounts(task),
      Tmpfs: writablePaths(task, user, image.volumes),
      ...deviceRequests(task),
    },
    NetworkingConfig: { EndpointsConfig: endpoints },
  }
}

/** The directory in which the program of a task starts. */
function startOf({ workingDirectory, workspace, places }: TaskContainer): string {
  if (workingDirectory) return workingDirectory.path
  return workspace?.startsHere ? workspace.path : (places?.start ?? '/work')
}

/** The hashes of the snapshots that a task mounts. */
export function snapshotsOf({ mounts: all }: Pick<TaskContainer, 'mounts'>): string[] {
  return [...new Set(all.flatMap(({ hash }) => hash ?? []))]
}

function labelsOf(task: TaskContainer, networkName: string | null): Record<string, string> {
  const snapshots = snapshotsOf(task)
  return {
    [labels.job]: task.jobId,
    [labels.task]: task.taskId,
    [labels.attempt]: String(task.attempt),
    [labels.rank]: String(task.rank),
    [labels.node]: task.nodeId,
    ...versionLabel,
    ...(networkName === null ? {} : { [labels.network]: networkName }),
    ...(snapshots.length === 0 ? {} : { [labels.snapshots]: snapshots.join(',') }),
    ...(task.tty ? { [labels.terminal]: 'true' } : {}),
  }
}

function isolation(task: TaskContainer, policy: ContainerPolicy) {
  return {
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true', `seccomp=${seccomp}`],
    ReadonlyRootfs: true,
    ...(policy.selinux || realGpus(task).length > 0 ? {} : { ReadonlyPaths: readonlyPaths }),
    IpcMode: 'private',
    CgroupnsMode: 'private' as const,
    Init: true,
    ...(policy.ociRuntime === undefined ? {} : { Runtime: policy.ociRuntime }),
  }
}

/**
 * The engine's /etc/hosts names ::1 as `localhost`, and older engines switch IPv6 off in every container. A server that binds `localhost`
 * needs both addresses. The other interfaces stay as the engine sets them. Podman leaves IPv6 on, and gVisor has no such setting.
 */
function loopback({ ipv6, ociRuntime }: ContainerPolicy) {
  return ipv6 && ociRuntime === undefined ? { Sysctls: { 'net.ipv6.conf.lo.disable_ipv6': '0' } } : {}
}

function limits(task: TaskContainer, policy: ContainerPolicy) {
  const memory = task.memoryMib * MiB
  return {
    ...(policy.anyCgroup && task.cgroupParent !== null ? { CgroupParent: task.cgroupParent } : {}),
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: task.cpuMilli * 1_000_000,
    PidsLimit: 1024 + 128 * Math.ceil(task.cpuMilli / 1000),
    // If the host runs out of memory, the kernel kills a job before the host's services.
    OomScoreAdj: 500,
    ShmSize: sharedMemoryBytes(task),
    Ulimits: [
      { Name: 'nofile', Soft: openFiles, Hard: openFiles },
      { Name: 'core', Soft: 0, Hard: 0 },
      // /dev/mqueue is writable as well.
      { Name: 'msgqueue', Soft: 0, Hard: 0 },
    ],
    RestartPolicy: { Name: 'no' },
    // `local` stores bytes unchanged, while json-file replaces invalid UTF-8. The output limit counts records, which
    // are larger than their log entries, so nothing is rotated away before the limit ends the job, and what remains
    // after a rotation still exceeds the limit.
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

/** Simulated GPUs are not requested from the engine. */
export const realGpus = (task: TaskContainer): string[] => (task.simulated ? [] : task.gpuUuids)

function deviceRequests(task: TaskContainer) {
  const uuids = realGpus(task)
  if (uuids.length === 0) return {}
  return {
    DeviceRequests: [{ Driver: 'nvidia', DeviceIDs: uuids, Capabilities: [['gpu', 'compute', 'utility']] }],
  }
}
