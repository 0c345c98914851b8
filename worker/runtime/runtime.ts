/** What a task's container needs. All sizes are in bytes unless named otherwise. */
export interface TaskContainer {
  jobId: string
  taskId: string
  attempt: number
  rank: number
  nodeId: string
  image: string
  /** Arguments for the image, for example `['python', '-u', '/job/solution.py']`. */
  command: string[]
  /** The job's own variables; they cannot set NVIDIA_VISIBLE_DEVICES or a GPUQ_ variable. */
  env: Record<string, string>
  /** Variables that a feature gives the program. The job's own ones cannot replace them. */
  variables?: Record<string, string>
  /** The task's own directory on this host, mounted read-only at `/job`. */
  directory: string
  /** The run that the attempts share; null: the job has no named run. */
  runName: string | null
  /** The host path of `/results`: a size-limited file system of the task. Null: none. */
  results: string | null
  /** The host path of `/work`: a size-limited file system of the task. Left out: the engine makes one that ends with the container. */
  work?: string
  /** Where else the program finds `/work` and `/results`, and where it starts. Left out: in `/work`, and nowhere else. */
  places?: TaskPlaces
  /** The project's directory on shared storage; null: none. */
  workspace: TaskWorkspace | null
  /** Where the task finds and changes its uploaded directory; null: in `/work`. */
  workingDirectory: TaskWorkingDirectory | null
  /** The checkpoints that the attempts of its run share; null: no named run. */
  checkpoints: TaskCheckpoints | null
  /** The directories of this host that it can read. */
  mounts: ReadOnlyMount[]
  /** UUIDs of the real GPUs to request from the engine. Empty: none are visible. */
  gpuUuids: string[]
  /** True if the task holds simulated GPUs, which are not requested from the engine. */
  simulated: boolean
  cpuMilli: number
  memoryMib: number
  /** The cgroup of the host that it is to be below, so that a batch system accounts for it; null: the engine's choice. */
  cgroupParent: string | null
  /** `none`; `internet` if the environment allows it; for one of several tasks, their shared network. */
  network: 'none' | 'internet' | JobNetwork
  /** Whether its program has a terminal: stdout and stderr are one stream, and it accepts input. */
  tty: boolean
  /** Python modules that a warm container of its environment imports before its job is known. */
  prepare: readonly string[]
  /** Digest or id of the image now, as soon as it is known; null: the task was stopped first. Undefined: nobody asked. */
  digest?: Promise<string | null>
  /** The container that waits for the task and has its files; undefined: none. */
  warm?: WarmContainer
}

/** Paths of the container that a feature chooses, for programs that were written for other products. */
export interface TaskPlaces {
  /** The uploaded directory is here too. */
  work: string
  results: string
  /** Where the program starts. */
  start: string
}

/** A container that was created and started for one task that is not known yet. */
export interface WarmContainer {
  id: string
  /** Its name in the engine until it gets a task. */
  name: string
  /** Owns its files, and runs the program. */
  user: { uid: number; gid: number }
  /** Digest or id of its image. */
  imageDigest: string
  /** The Python modules that it imports while it waits. Empty: a shell waits. */
  prepare: readonly string[]
}

/** A directory of this host that the task sees as `/checkpoints` and can write. */
export interface TaskCheckpoints {
  path: string
  /** Its owner, equal for all attempts. */
  uid: number
  gid: number
}

/** A directory of this host that the task sees at a path of its own. */
export interface HostMount {
  /** The real path on this host. */
  source: string
  target: string
  readOnly: boolean
  /** Whether file systems that are mounted inside it are visible. */
  recursive: boolean
}

/** A directory of this host that the task sees at the same path and can write. */
export interface TaskWorkspace {
  path: string
  /** The directory, and others that the task needs with it. */
  mounts: HostMount[]
  /** Directories inside the mounts that the task does not see. */
  hidden: string[]
  /** The user of the task, who owns the files it writes there. */
  uid: number
  gid: number
  /** Whether the task starts in it instead of `/work`. */
  startsHere: boolean
}

/** A size-limited file system of the task, in which it starts and whose changes gpuq stores. */
export interface TaskWorkingDirectory {
  /** In the container. */
  path: string
  /** On this host. */
  source: string
  /**
   * Replaces the home directory of the image that contains the path, because usually its owner alone may enter it. Null:
   * the path is in no home directory.
   */
  home: { path: string; source: string } | null
}

/** A directory of this host that the task sees at a path and cannot write. */
export interface ReadOnlyMount {
  /** In the container. */
  path: string
  /** On this host. */
  source: string
  /** The hash of the snapshot in the cache of the node; null: it is no snapshot. */
  hash: string | null
}

/** The network of one multi-node attempt. It reaches only the attempt's tasks. */
export interface JobNetwork {
  /** For example `10.213.0.16/28`; unique while the attempt lives. */
  subnet: string
  /** VXLAN network identifier (24 bits), unique among networks that span engines. */
  vni: number
  /** All tasks of the attempt by rank, including this one. */
  peers: JobPeer[]
  /** Whether the environment also allows internet access, over a separate network. */
  internet: boolean
}

export interface JobPeer {
  /** An address in the subnet. */
  address: string
  /** Processes of the task: one for each of its GPUs, and at least one. */
  processes: number
  /** The other machine on which it runs, with its address; null: this machine. */
  machine: { node: string; address: string | null } | null
}

export interface ContainerRef {
  id: string
  jobId: string
  taskId: string
  attempt: number
  nodeId: string
  state: 'created' | 'running' | 'exited'
  /** The name of the network shared with the attempt's other tasks; null for a single task. */
  network: string | null
  /** Whether its program has a terminal. */
  tty: boolean
  /** The hashes of the archives that it mounts. */
  snapshots: readonly string[]
  /** Whether it was started before its task was known. */
  warm: boolean
}

/** An attempt's network on this engine. */
export interface NetworkRef {
  name: string
  jobId: string
  attempt: number
}

export interface Exit {
  exitCode: number
  /** True if the kernel killed the main process or a child for memory. */
  outOfMemory: boolean
  startedAt: Date | null
  finishedAt: Date | null
}

export interface OutputChunk {
  stream: 'stdout' | 'stderr'
  bytes: Buffer
  /** Live output instead of the engine's log: everything written before it is past. */
  live?: true
}

/** The input of a container with a terminal. */
export interface ContainerInput {
  /** Resolves once the engine has accepted the bytes; waits for a program that does not read. */
  write(bytes: Buffer): Promise<void>
  close(): void
}

/** Size in characters. */
export interface TerminalSize {
  columns: number
  rows: number
}

/** What a container has used since its start. */
export interface Usage {
  cpuSeconds: number
  /** What it holds now. */
  memoryMib: number
  /** Peak memory if the engine records it, otherwise the current memory. */
  memoryPeakMib: number
}

/**
 * `engine_unreachable`: the engine's containers may continue; retry. `container_gone`: something other than the
 * program and gpuq removed, killed or lost the container, so its end says nothing about the program.
 * `internet_unavailable`: this node has no safe way to the internet for the task.
 */
export type RuntimeFaultCode =
  | 'engine_unreachable'
  | 'image_unavailable'
  | 'internet_unavailable'
  | 'container_gone'
  | 'kill_failed'
  | 'engine_error'

export class RuntimeFault extends Error {
  constructor(
    readonly code: RuntimeFaultCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
    this.name = 'RuntimeFault'
  }
}
