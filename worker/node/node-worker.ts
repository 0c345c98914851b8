import { join } from 'node:path'
import { aborted, sleep, unlessAborted } from '@/lib/async/sleep'
import type { GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import { type Lease, NodeNameTaken } from '@/lib/cluster/nodes/nodes'
import { logger } from '@/lib/logger'
import type { AttemptStop } from '../engine/engine'
import { LeaseRenewer, type RenewalTimes } from './lease/renew-lease'
import type { NodeSettings } from './node-context'
import { NodeService } from './serve-node'
import type { MakeTaskHook } from './task/task-hook'
import { TaskStarts } from './task/task-starts'

const registerEveryMs = 1_000

/** A lease on a node, when it was requested by `performance.now()`, and a reader for its GPUs if they are real. */
export interface Registered {
  lease: Lease
  requestedAt: number
  readGpus?: () => Promise<GpuReport>
}

/** What every node of a worker has. */
export interface NodeOptions extends NodeSettings {
  /** The features that take part in the life of a task. */
  hooks: readonly MakeTaskHook[]
}

interface NodeWorkerOptions extends NodeOptions {
  /** Acquires a lease on the node. */
  register(): Promise<Registered>
  /** Called once the node is served for the first time. */
  onServing(lease: Lease): void
  /** Left out: those that follow from the length of a lease. */
  renewalTimes?: RenewalTimes
}

/** Serves a node under successive leases until it is told to leave. */
export class NodeWorker {
  readonly #draining = new AbortController()
  readonly #stopping = new AbortController()
  readonly #keeping = new AbortController()
  readonly #forced = new AbortController()

  /** Undefined before the first lease, and while the next one is requested. */
  #service: NodeService | undefined

  constructor(readonly options: NodeWorkerOptions) {}

  /** The current lease; null: none now. */
  get lease(): Lease | null {
    return this.#service?.lease ?? null
  }

  /** Stops the container of an attempt on this node now; its reason may be known later. */
  async stopAttempt(stop: AttemptStop): Promise<void> {
    await this.#service?.stopAttempt(stop)
  }

  /** Stops accepting tasks, waits for running ones, and leaves. */
  drain(): void {
    this.#draining.abort()
  }

  /** Stops running tasks, requeues their jobs, and leaves. A second call leaves without waiting. */
  stop(): void {
    if (this.#stopping.signal.aborted) this.#forced.abort()
    this.#draining.abort()
    this.#stopping.abort()
  }

  /** Leaves at once. Its containers run on, and the next worker of this node adopts them. */
  leave(): void {
    this.#keeping.abort()
    this.#draining.abort()
  }

  /**
   * Serves until it has left. After an expired lease, stops the containers and acquires a new lease.
   * @throws if the node cannot be served at all, or another worker has taken it over.
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

  /** Serves under one lease, from its start to its end. */
  async #serve({ lease, requestedAt, readGpus }: Registered): Promise<'left' | 'expired'> {
    const { register: _, onServing: __, renewalTimes, hooks, ...settings } = this.options
    const renewer = new LeaseRenewer(lease, requestedAt, renewalTimes)
    const node = {
      ...settings,
      lease,
      leaseIsHeld: () => renewer.held,
      starts: new TaskStarts(),
      // Per node, because workers of several nodes may share a data directory.
      tasksDirectory: join(settings.tasksDirectory, lease.nodeId),
      ...(readGpus ? { readGpus } : {}),
    }
    const service = new NodeService(node, hooks)
    this.#service = service
    const term = new AbortController()
    const serving = service.serve(term.signal)
    const end = await Promise.race([
      renewer.run(term.signal),
      this.#leave(service, term.signal),
      serving.then(() => 'ended' as const),
    ])
    term.abort()
    this.#service = undefined
    if (end === 'left' || end === 'ended') {
      await serving
      return 'left'
    }
    service.abandonAll()
    if (end === 'taken')
      throw new Error('Another worker took over this node and its containers. This worker exits.')
    logger.error('the lease of this node expired: its containers are stopped and its jobs run elsewhere')
    await service.killAll(this.#forced.signal)
    await serving
    return 'expired'
  }

  /** Resolves once it was told to leave and has left. */
  async #leave(service: NodeService, term: AbortSignal): Promise<'left'> {
    const told = aborted(AbortSignal.any([this.#draining.signal, term]))
    await (this.options.endsJobs ? Promise.race([told, service.reconciled]) : told)
    try {
      if (this.#keeping.signal.aborted) return await this.#leaveJobs(service, term)
      if (!term.aborted && !this.options.endsJobs) await unlessAborted(service.drain(), this.#stopping.signal)
      if (!term.aborted) await unlessAborted(service.stopAll(), this.#forced.signal)
    } catch (error) {
      if (!term.aborted) logger.error({ err: error }, 'could not deregister the node; its lease will expire')
    }
    return 'left'
  }

  async #leaveJobs(service: NodeService, term: AbortSignal): Promise<'left'> {
    if (!term.aborted) await unlessAborted(service.leave(), this.#stopping.signal)
    service.abandonAll()
    return 'left'
  }

  /** Returns null if it was told to leave first. */
  async #registerAgain(): Promise<Registered | null> {
    while (!this.#draining.signal.aborted) {
      try {
        return await this.options.register()
      } catch (error) {
        if (error instanceof NodeNameTaken) throw error
        logger.warn({ err: error }, 'could not register the node again, retrying')
        await sleep(registerEveryMs, this.#draining.signal)
      }
    }
    return null
  }
}
