import { join } from 'node:path'
import { aborted, sleep, unlessAborted } from '@/lib/async/sleep'
import type { GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import { type Lease, NodeNameTaken } from '@/lib/cluster/nodes/nodes'
import { logger } from '@/lib/logger'
import { LeaseRenewer } from './lease/renew-lease'
import { NodeService } from './serve-node'
import type { TaskSettings } from './task/task-settings'

const registerEveryMs = 1_000

/** A lease on a node, when it was asked for by `performance.now()`, and how its GPUs are read if they are real. */
export interface Registered {
  lease: Lease
  asked: number
  readGpus?: () => Promise<GpuReport>
}

interface NodeWorkerOptions extends TaskSettings {
  /** Takes a lease on the node. */
  register(): Promise<Registered>
  /** Called once the node is served for the first time. */
  onServing(lease: Lease): void
}

/** Serves a node, lease after lease, until it is told to leave. */
export class NodeWorker {
  readonly #draining = new AbortController()
  readonly #stopping = new AbortController()
  readonly #impatient = new AbortController()

  constructor(readonly options: NodeWorkerOptions) {}

  /** Takes nothing new, finishes what runs, and leaves. */
  drain(): void {
    this.#draining.abort()
  }

  /** Stops what runs, gives the jobs back to the queue, and leaves. Said twice, it waits for nothing. */
  stop(): void {
    if (this.#stopping.signal.aborted) this.#impatient.abort()
    this.#draining.abort()
    this.#stopping.abort()
  }

  /**
   * Serves until it has left. A lease that runs out is not the end: the containers are stopped, and a new one is taken.
   * @throws when the node cannot be served at all, or another worker has taken it over.
   */
  async run(): Promise<void> {
    let registered = await this.options.register()
    this.options.onServing(registered.lease)
    while ((await this.#serve(registered)) === 'expired') {
      const again = await this.#registerAgain()
      if (!again) return
      registered = again
    }
  }

  /** One lease, from its beginning to its end. */
  async #serve({ lease, asked, readGpus }: Registered): Promise<'left' | 'expired'> {
    const { register: _, onServing: __, ...settings } = this.options
    const keeper = new LeaseRenewer(lease, asked)
    const service = new NodeService({
      ...settings,
      lease,
      leaseIsHeld: () => keeper.held,
      // The node's own: workers of several nodes may share a data directory.
      tasksDirectory: join(settings.tasksDirectory, lease.nodeId),
      ...(readGpus ? { readGpus } : {}),
    })
    const term = new AbortController()
    const serving = service.serve(term.signal)
    const end = await Promise.race([
      keeper.keep(term.signal),
      this.#leave(service, term.signal),
      serving.then(() => 'ended' as const),
    ])
    term.abort()
    if (end === 'left' || end === 'ended') {
      await serving
      return 'left'
    }
    service.abandonAll()
    if (end === 'taken')
      throw new Error('Another worker took over this node and its containers; this one leaves.')
    logger.error('the lease on this node ran out: its containers are stopped, its jobs go elsewhere')
    await service.killAll(this.#impatient.signal)
    await serving
    return 'expired'
  }

  /** Resolves once it was told to leave and has done so. */
  async #leave(service: NodeService, term: AbortSignal): Promise<'left'> {
    await aborted(AbortSignal.any([this.#draining.signal, term]))
    try {
      if (!term.aborted) await unlessAborted(service.drain(), this.#stopping.signal)
      if (!term.aborted) await unlessAborted(service.stopAll(), this.#impatient.signal)
    } catch (error) {
      if (!term.aborted)
        logger.error({ err: error }, 'could not leave in order; the lease runs out by itself')
    }
    return 'left'
  }

  /** Null when it was told to leave first: there is nothing left to do. */
  async #registerAgain(): Promise<Registered | null> {
    while (!this.#draining.signal.aborted) {
      try {
        return await this.options.register()
      } catch (error) {
        if (error instanceof NodeNameTaken) throw error
        logger.warn({ err: error }, 'the node cannot be served again yet, trying again')
        await sleep(registerEveryMs, this.#draining.signal)
      }
    }
    return null
  }
}
