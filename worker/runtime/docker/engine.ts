import type { Readable, Writable } from 'node:stream'
import type { buildContainerSpec } from '../spec/container-spec'
import type { NetworkSpec } from '../spec/network-spec'

export type ContainerSpec = ReturnType<typeof buildContainerSpec>

/** Opens one of the engine's answers that arrive bit by bit. */
export type OpenStream = (
  method: 'GET' | 'POST',
  path: string,
  query: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<Readable>

/**
 * What gpuq asks of a container engine, one method per request. Errors are the client's own, answers are not yet
 * parsed: `engine-runtime.ts` makes sense of both.
 */
export interface Engine {
  info(): Promise<unknown>
  version(): Promise<unknown>
  inspectImage(image: string): Promise<unknown>
  pullImage(image: string): Promise<Readable>
  /** Returns the new container's id. */
  create(spec: ContainerSpec): Promise<string>
  /** Both outputs of a container: multiplexed, or as they are where it has a terminal. */
  attach(id: string): Promise<Readable>
  /** What a container with a terminal reads. */
  openInput(id: string): Promise<Writable>
  resize(id: string, size: { w: number; h: number }): Promise<void>
  start(id: string): Promise<void>
  inspect(idOrName: string): Promise<unknown>
  /** What a container uses now, once. */
  stats(id: string): Promise<unknown>
  kill(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Kills it first where it must, and removes its anonymous volumes too. */
  remove(id: string): Promise<void>
  /** Containers in any state that carry a label. */
  list(label: string): Promise<unknown>
  inspectNetwork(name: string): Promise<unknown>
  createNetwork(spec: NetworkSpec): Promise<void>
  /** Networks that carry a label. */
  listNetworks(label: string): Promise<unknown>
  /** Gives a container that has not started yet another network. */
  connectNetwork(name: string, containerId: string): Promise<void>
  removeNetwork(idOrName: string): Promise<void>
  readonly open: OpenStream
}
