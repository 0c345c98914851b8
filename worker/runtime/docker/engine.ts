import type { Readable, Writable } from 'node:stream'
import type { buildContainerSpec } from '../spec/container-spec'
import type { NetworkSpec } from '../spec/network-spec'

export type ContainerSpec = ReturnType<typeof buildContainerSpec>

/** Opens a streamed response of the engine. */
export type OpenStream = (
  method: 'GET' | 'POST',
  path: string,
  query: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<Readable>

/**
 * The requests to a container engine, one method each. Errors are those of the client, and responses are not parsed:
 * `engine-runtime.ts` interprets both.
 */
export interface Engine {
  info(): Promise<unknown>
  version(): Promise<unknown>
  inspectImage(image: string): Promise<unknown>
  pullImage(image: string): Promise<Readable>
  /** Returns the new container's id. */
  create(spec: ContainerSpec): Promise<string>
  /** The output of a container: multiplexed, or raw for a terminal. */
  attach(id: string): Promise<Readable>
  /** The input of a container with a terminal. */
  openInput(id: string): Promise<Writable>
  resize(id: string, size: { w: number; h: number }): Promise<void>
  start(id: string): Promise<void>
  inspect(idOrName: string): Promise<unknown>
  /** A single usage sample. */
  stats(id: string): Promise<unknown>
  kill(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Kills the container if necessary, and removes its anonymous volumes. */
  remove(id: string): Promise<void>
  /** Containers in any state that have a label. */
  list(label: string): Promise<unknown>
  inspectNetwork(name: string): Promise<unknown>
  createNetwork(spec: NetworkSpec): Promise<void>
  /** Networks that have a label. */
  listNetworks(label: string): Promise<unknown>
  /** Connects a container that has not started yet to another network. */
  connectNetwork(name: string, containerId: string): Promise<void>
  removeNetwork(idOrName: string): Promise<void>
  readonly open: OpenStream
}
