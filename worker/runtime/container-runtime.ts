import type { EngineInfo } from './engine-info'
import type {
  ContainerInput,
  ContainerRef,
  Exit,
  NetworkRef,
  OutputChunk,
  TaskContainer,
  TerminalSize,
  Usage,
  WarmContainer,
} from './runtime'

/**
 * Runs the containers of tasks on one container engine. The code of a node knows only this interface; tests replace it by a
 * fake. Every error is a RuntimeFault with a code. Reaching a state twice succeeds.
 */
export interface ContainerRuntime {
  readonly images: RuntimeImages
  readonly internet: RuntimeInternet
  readonly facts: RuntimeFacts
  readonly warm: WarmRuntime

  /**
   * Whether the engine is unavailable, or was at any time since `sinceMs` or shortly before. Times are those of
   * `performance.now()`.
   */
  hadOutage(sinceMs: number): Promise<boolean>
  /** Pulls the image if it is missing, and returns its digest or id. */
  ensureImage(image: string, onProgress?: (line: string) => void): Promise<string>
  /** Creates or finds the container of this task, and its shared network. A warm one is used if it still can. */
  create(task: TaskContainer): Promise<ContainerRef>
  /**
   * Attaches and starts. The output is raw bytes in order per stream, with back-pressure: the container waits for
   * the reader. The iterator ends when the container has exited and everything was read.
   */
  start(container: ContainerRef): Promise<AsyncIterable<OutputChunk>>
  /** As {@link start}, of a container for which an earlier request may still be under way. */
  startAgain(container: ContainerRef): Promise<AsyncIterable<OutputChunk>>
  /**
   * Reads the output of a container that another process started, from the first byte on. With a terminal, an
   * unfinished line contains only new output, because no engine log has its start.
   * @param mayStart whether the program of a warm container starts if the other process had not started it.
   */
  replay(container: ContainerRef, mayStart?: boolean): Promise<AsyncIterable<OutputChunk>>
  openInput(container: ContainerRef): Promise<ContainerInput>
  resize(container: ContainerRef, size: TerminalSize): Promise<void>
  /**
   * Resolves when the container has exited, immediately if it already has.
   * @throws RuntimeFault `container_gone` if not its program ended it, but the engine or something outside gpuq.
   */
  wait(container: ContainerRef): Promise<Exit>
  /** Null if it is not running or the engine reports nothing. */
  usage(container: ContainerRef): Promise<Usage | null>
  /** Freezes the processes of a running container. Does nothing if it has ended. */
  pause(container: ContainerRef): Promise<void>
  /** Lets the processes of a paused container run again. Does nothing if it has ended. */
  resume(container: ContainerRef): Promise<void>
  /**
   * Sends SIGTERM, waits `graceMs`, sends SIGKILL. A paused container is resumed for it. Resolves when it has exited.
   * @throws RuntimeFault `kill_failed` if it does not exit.
   */
  stop(container: ContainerRef, graceMs: number): Promise<void>
  /** Removes the container and its leftovers; with the attempt's last container here, also its network. */
  remove(container: ContainerRef): Promise<void>
  /** Lists the containers of a node, or of all nodes of this engine. */
  list(nodeId?: string): Promise<ContainerRef[]>
  /** Networks of attempts that this node created. */
  listNetworks(nodeId: string): Promise<NetworkRef[]>
  /** Removes a network, unless a container on this engine still uses it. */
  removeNetwork(network: Pick<NetworkRef, 'name'>): Promise<void>
}

interface RuntimeImages {
  /** Whether the image is on this node. */
  has(image: string): Promise<boolean>
}

interface RuntimeInternet {
  /** Whether the rules are in place; `unused`: no job has needed the network yet. */
  rulesState(): Promise<'unused' | 'complete' | 'incomplete'>
}

interface RuntimeFacts {
  info(): Promise<EngineInfo>
  /** Whether uid 0 of a container is the user who runs the engine. */
  usesRootless(): Promise<boolean>
  /** Whether a user of a container is another user on this host. */
  mapsUsers(): Promise<boolean>
  /** Whether it can put a container below any cgroup. systemd accepts only the cgroups that it manages. */
  canUseAnyCgroup(): Promise<boolean>
}

/** The imports of a container ended it at once. The message is the reason, for people to read. */
export class PrepareFailure extends Error {}

/** Containers that are started before their task is known, each for one task. */
export interface WarmRuntime {
  /** Whether the engine can keep them. */
  areSupported(): Promise<boolean>
  /**
   * Starts a container that waits for a task of the same class.
   * @param task has the files of the container, and its id as that of the task.
   * @throws {PrepareFailure} or another error if the container ends at once, as in an image without a shell: a job in it would
   * fail. One that imports modules may end later: see {@link prepareFailure}.
   */
  start(task: TaskContainer): Promise<WarmContainer>
  /** Resolves when the container has ended or is unknown to the engine, and rejects if the engine is unavailable. */
  ended(container: WarmContainer): Promise<void>
  /** Why the imports of a container that has ended cannot be used, for people to read. */
  prepareFailure(container: WarmContainer, memoryMib: number): Promise<string>
  /** Memory in MiB of the container and the engine's process for it; 0 if it has ended. */
  memoryMib(container: WarmContainer): Promise<number>
  /** Removes a container unless it has a task. */
  remove(container: Pick<WarmContainer, 'name'> & { id?: string }): Promise<void>
  /** The names of a node's containers that have no task. */
  listWithoutTask(nodeId: string): Promise<string[]>
}
