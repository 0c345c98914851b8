/** What a task's container needs, in gpuq's words. All sizes in bytes unless named otherwise. */
export interface TaskContainer {
  jobId: string
  taskId: string
  attempt: number
  rank: number
  nodeId: string
  image: string
  /** Arguments for the image, e.g. `['python', '-u', '/job/solution.py']`. */
  command: string[]
  /** The job's own variables; they can never set NVIDIA_VISIBLE_DEVICES or a GPUQ_ variable. */
  env: Record<string, string>
  /** The task's own directory on this host, mounted read-only at `/job`. */
  directory: string
  /** What attempts of one run have in common; null: the job is no named run. */
  runName: string | null
  /** What becomes `/results`, on this host: a file system of the task's own, with an end. Null: there is none. */
  results: string | null
  /** The project's directory on shared storage; null: it has none. */
  workspace: TaskWorkspace | null
  /** Where the attempts of its run keep what they go on from; null: it is no named run. */
  checkpoints: TaskCheckpoints | null
  /** UUIDs of real GPUs asked from the engine. Empty: none are visible. */
  gpuUuids: string[]
  /** True when the task holds simulated GPUs: nothing is asked from the engine. */
  simulated: boolean
  cpuMilli: number
  memoryMib: number
  /** `none`; `internet` where the environment's policy grants it; for one of several tasks, the network they share. */
  network: 'none' | 'internet' | JobNetwork
  /** Whether its program gets a terminal: stdout and stderr are one stream then, and it can be typed into. */
  tty: boolean
}

/** A directory of this host that the task sees as `/checkpoints`, and may write. */
export interface TaskCheckpoints {
  path: string
  /** Whom it belongs to: the same in every attempt. */
  uid: number
  gid: number
}

/** A directory of this host that the task sees at the same path, and may write. */
export interface TaskWorkspace {
  path: string
  /** Whom the task runs as, so that its files there are theirs. */
  uid: number
  gid: number
  /** The task starts in it, and not in `/work`. */
  startsHere: boolean
}

/** The network of one attempt over several nodes: it reaches the attempt's tasks, and nobody else. */
export interface JobNetwork {
  /** As `10.213.0.16/28`: nobody else's while the attempt lives. */
  subnet: string
  /** Tells it from every other network that spans engines: 24 bits. */
  vni: number
  /** All tasks of the attempt in the order of their ranks, this one among them. */
  peers: JobPeer[]
  /** The environment's policy grants the internet too, over a network of its own. */
  internet: boolean
}

export interface JobPeer {
  /** In the subnet. */
  address: string
  /** Processes that the task is to start: one for each of its GPUs, and at least one. */
  processes: number
  /** Which other machine it runs on, and where that is reached; null: it is on this one. */
  machine: { node: string; address: string | null } | null
}

export interface ContainerRef {
  id: string
  jobId: string
  taskId: string
  attempt: number
  nodeId: string
  state: 'created' | 'running' | 'exited'
  /** The name of the network that it shares with the attempt's other tasks; null: it is alone. */
  network: string | null
  /** Whether its program has a terminal. */
  tty: boolean
}

/** An attempt's network as it is on this engine. */
export interface NetworkRef {
  name: string
  jobId: string
  attempt: number
}

export interface Exit {
  exitCode: number
  /** True when the kernel killed the main process or any child for memory. */
  outOfMemory: boolean
  startedAt: Date | null
  finishedAt: Date | null
}

export interface OutputChunk {
  stream: 'stdout' | 'stderr'
  bytes: Buffer
  /** Not from the engine's log but straight from the program: whatever was written before it is past. */
  live?: true
}

/** What the program of a container with a terminal reads. */
export interface ContainerInput {
  /** Resolves once the engine has taken the bytes: a program that reads nothing makes it wait. */
  write(bytes: Buffer): Promise<void>
  close(): void
}

/** In characters. */
export interface TerminalSize {
  columns: number
  rows: number
}

/** What a container has used from its start until now. */
export interface Usage {
  cpuSeconds: number
  /** The most it ever held, where the engine keeps that; else what it holds now. */
  memoryPeakMib: number
}

export interface EngineInfo {
  id: string
  version: string
  cpuMilli: number
  memoryMib: number
  /** Sentences about what is below its floor or missing on this engine, by name. */
  warnings: string[]
}

/** Runs tasks on one node. Every error is a RuntimeFault with a code; a state already reached is success. */
export interface Runtime {
  info(): Promise<EngineInfo>
  /** Makes sure the image is here (pulls where it must) and returns its digest or id. */
  ensureImage(image: string, onProgress?: (line: string) => void): Promise<string>
  /** Creates, or finds, the one container of this job, attempt and rank, and the network that it shares. */
  create(task: TaskContainer): Promise<ContainerRef>
  /**
   * Attaches and starts. Output is raw bytes in order per stream, with back-pressure: the container waits
   * while the reader does. The iterator ends when the container has exited and all was read.
   */
  start(container: ContainerRef): Promise<AsyncIterable<OutputChunk>>
  /**
   * The output of a container that another process started: everything from the first byte on. With a terminal, the
   * line that is unfinished comes from now on only, because no engine's log has it.
   */
  replay(container: ContainerRef): Promise<AsyncIterable<OutputChunk>>
  /** Resolves when the container has exited, at once if it already has. */
  wait(container: ContainerRef): Promise<Exit>
  /** Null when it does not run, or the engine gives no figures. */
  usage(container: ContainerRef): Promise<Usage | null>
  /** The way to what the program reads, for a container with a terminal. */
  openInput(container: ContainerRef): Promise<ContainerInput>
  /** Makes its terminal so large, and tells its program. */
  resize(container: ContainerRef, size: TerminalSize): Promise<void>
  /** SIGTERM, `graceMs`, SIGKILL. Resolves when it has exited; throws `kill_failed` if it would not. */
  stop(container: ContainerRef, graceMs: number): Promise<void>
  /** Removes the container and whatever it left: with the attempt's last one here, its network. */
  remove(container: ContainerRef): Promise<void>
  /** Containers carrying this node's labels. */
  list(nodeId: string): Promise<ContainerRef[]>
  /** Networks of attempts that this node made. */
  listNetworks(nodeId: string): Promise<NetworkRef[]>
  /** Removes a network, unless a container on this engine still belongs to it. */
  removeNetwork(network: Pick<NetworkRef, 'name'>): Promise<void>
}

/**
 * `engine_unreachable`: what the engine holds may go on; ask again. `container_gone`: removed, killed or lost by
 * others than the program and gpuq, so its end says nothing about the program.
 */
export type RuntimeFaultCode =
  | 'engine_unreachable'
  | 'image_unavailable'
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
