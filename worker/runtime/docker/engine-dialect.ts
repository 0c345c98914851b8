import { type ContainerSpec, labels } from '../spec/container-spec'
import type { NetworkSpec } from '../spec/network-spec'

/** Sends one request to the engine, and returns the JSON of its response; null without content. */
export type CallEngine = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>

/**
 * What depends on the product behind Docker's API. The requests that are equal for all products are in `docker.ts`.
 * Errors are those of the client.
 */
export interface EngineDialect {
  readonly product: 'Docker' | 'Podman'
  /** What gpuq can do on Docker only, as sentences. */
  readonly limitations: readonly string[]
  /** Whether the log has exact times, for which it may lose newlines. Otherwise it is exactly what was written. */
  readonly timesLog: boolean
  /** The filters of `GET /events` for those that explain the end of a container. */
  readonly endEvents: Readonly<Record<string, readonly string[]>>
  /** How long it may take to return the recorded events, in milliseconds. It does not return more after `until`. */
  readonly historyMs: number
  /** Whether a connection for input also receives the output, which must be read then. */
  readonly echoesOutput: boolean
  /** Whether it resumes a paused container to which a signal is sent. Otherwise the signal waits, or is refused. */
  readonly resumesForSignals: boolean
  /** Why the engine cannot start jobs with internet access; null: it can. */
  readonly internetProblem: string | null
  /** Returns `GET /info` with what the product reports differently. */
  correctInfo(info: unknown): unknown
  /** Returns an error with the HTTP status that Docker would use. */
  correctError(error: unknown): unknown
  /** Returns the new container's id. */
  create(spec: ContainerSpec): Promise<string>
  /** Kills the container if necessary, and removes its anonymous volumes. */
  remove(id: string): Promise<void>
  createNetwork(spec: NetworkSpec): Promise<void>
  /** Whether the kernel killed a process of an ended container for memory, where the engine does not record it. */
  killedForMemory(id: string): Promise<boolean>
  /** Whether the engine or {@link killedForMemory} can tell it. */
  reportsMemoryKills(): boolean
}

/** Requests in Docker's own format. */
export interface DockerRequests {
  call: CallEngine
  create(spec: ContainerSpec): Promise<string>
  remove(id: string): Promise<void>
  createNetwork(spec: NetworkSpec): Promise<void>
}

/** Docker, and engines that behave like it. */
export function dockerDialect({ create, remove, createNetwork }: DockerRequests): EngineDialect {
  return {
    product: 'Docker',
    limitations: [],
    timesLog: true,
    endEvents: { type: ['container'], event: ['start', 'oom', 'kill', 'die'], label: [labels.node] },
    historyMs: 10,
    echoesOutput: false,
    resumesForSignals: true,
    internetProblem: null,
    correctInfo: (info) => info,
    correctError: (error) => error,
    create,
    remove,
    createNetwork,
    killedForMemory: async () => false,
    reportsMemoryKills: () => true,
  }
}
