import { ChangeSignal } from '@/lib/async/change-signal'
import { sleep, unlessAborted } from '@/lib/async/sleep'
import { timeLimit } from '@/lib/async/time-limit'
import { deregisterNode, drainNode, type Lease, offerNode } from '@/lib/cluster/nodes/nodes'
import { readTaskOrders } from '@/lib/cluster/tasks/task-orders'
import { type ClaimedTask, claimTasks } from '@/lib/cluster/tasks/tasks'
import { listener } from '@/lib/database/listen'
import { makePrivateDirectory } from '@/lib/env/private-directory'
import { logger } from '@/lib/logger'
import { type AttemptStop, isTaskOf } from '../engine/engine'
import type { ContainerRef } from '../runtime/runtime'
import { GpuMonitor } from './gpus/gpu-monitor'
import { retryWrite } from './lease/retry-write'
import type { NodeContext } from './node-context'
import { Reconciler } from './reconcile'
import { keepProbing } from './run-probe'
import { TaskRun } from './task/run-task'
import type { MakeTaskHook } from './task/task-hook'
import { TaskHooks } from './task/task-hooks'
import { tryTo } from './try-to'

/** Polling interval, in case a notification is lost. */
const pollIntervalMs = 1_000
const reconcileIntervalMs = 5_000
/** Longer than SIGKILL, engine and database normally need. */
const stopTimeoutMs = 25_000

/**
 * Serves one node under one lease: claims placed tasks, adopts tasks of an earlier worker, forwards cancellations,
 * and keeps database and containers consistent.
 */
export class NodeService {
  readonly #runs = new Map<string, TaskRun>()
  readonly #reconciler: Reconciler
  readonly #abandoned = new AbortController()
  /** Whether everything left on the node is accounted for. */
  #reconciled = false
  #onReconciled: () => void = () => {}
  /** Resolves when everything left on the node is accounted for. */
  readonly reconciled = new Promise<void>((resolve) => {
    this.#onReconciled = resolve
  })
  /** Whether it accepts no new tasks: draining or out of service. */
  #closed: boolean
  #stopped = false
  #left = false
  /** Serializes claiming and adopting; otherwise a task between the two could start twice. */
  #queue: Promise<unknown> = Promise.resolve()
  readonly #gpuMonitor: GpuMonitor | undefined
  readonly #hooks: TaskHooks

  constructor(
    readonly node: NodeContext,
    hooks: readonly MakeTaskHook[],
  ) {
    const { readGpus } = node
    this.#closed = node.endsJobs
    this.#gpuMonitor =
      readGpus &&
      new GpuMonitor(node.lease, readGpus, (readings) => {
        for (const run of this.#runs.values()) run.addSample(readings)
      })
    this.#hooks = new TaskHooks(node, hooks)
    this.#reconciler = new Reconciler(node, this.#hooks, {
      isRunning: (taskId) => this.#runs.has(taskId),
      adopt: (task, container) => this.#start(task, container),
      quarantine: (what) => this.#quarantine(what),
    })
  }

  get lease(): Lease {
    return this.node.lease
  }

  /** Serves until `signal` is aborted. Leaves running tasks as they are, for {@link stopAll} or {@link abandonAll}. */
  async serve(signal: AbortSignal): Promise<void> {
    await makePrivateDirectory(this.node.tasksDirectory)
    const wake = new ChangeSignal(signal)
    const isForUs = (id: string | null) => id === null || id === this.lease.nodeId
    const stop = await listener().listen('node', (id) => isForUs(id) && wake.notify())
    const use = {
      isOpen: () => this.#reconciled && !this.#closed,
      onUse: (gpuUuids: readonly string[]) => this.#gpuMonitor?.markAllocated(gpuUuids),
    }
    try {
      await Promise.all([
        this.#keepLooking(wake, signal),
        this.#keepReconciling(signal),
        keepProbing(this.node, () => this.#closed, AbortSignal.any([signal, this.#abandoned.signal])),
        this.#gpuMonitor?.run(signal),
        this.#hooks.serve(use, AbortSignal.any([signal, this.#abandoned.signal])),
      ])
    } finally {
      stop()
    }
  }

  async #keepLooking(wake: ChangeSignal, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await tryTo('look for work', () => this.#look())
      await wake.wait(pollIntervalMs)
    }
  }

  /** A separate loop, so that a slow engine does not delay cancellations. */
  async #keepReconciling(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await tryTo('reconcile', () => this.#reconcile())
      await sleep(this.#reconciled ? reconcileIntervalMs : pollIntervalMs, signal)
    }
  }

  /** Accepts no new tasks, and resolves once all claimed and placed tasks have ended. */
  async drain(): Promise<void> {
    await this.#close(this.#abandoned.signal)
    while (!this.#abandoned.signal.aborted) {
      await retryWrite(this.#abandoned.signal, 'claim', () => this.#look())
      if (this.#runs.size === 0) return this.#hooks.close()
      await Promise.race([...this.#runs.values()].map((run) => run.done))
    }
  }

  /** Stops every container, requeues the jobs and releases the lease. */
  async stopAll(): Promise<void> {
    this.#stopped = true
    const { signal } = this.#abandoned
    const deadline = timeLimit(stopTimeoutMs, signal)
    // First, because otherwise the jobs could be placed here again.
    await this.#close(deadline)
    const runs = [...this.#runs.values()]
    for (const run of runs) run.stop('worker_stopped')
    await Promise.race([Promise.all(runs.map((run) => run.done)), sleep(stopTimeoutMs, signal)])
    await unlessAborted(this.#hooks.close(), deadline)
    // If a container could not be killed, the lease must expire before anyone may assume that the node is free.
    if (this.#runs.size === 0) await retryWrite(deadline, 'leave', () => deregisterNode(this.lease))
  }

  /** Accepts no new tasks. Call {@link abandonAll} next: running containers are left to the next worker of the node. */
  async leave(): Promise<void> {
    this.#left = true
    await this.#close(timeLimit(stopTimeoutMs, this.#abandoned.signal))
  }

  /** Stops the container of an attempt, if it runs here. A task that is claimed later is not affected. */
  async stopAttempt({ reason, graceMs, ...wanted }: AttemptStop): Promise<void> {
    const runs = [...this.#runs.values()].filter(({ task }) => isTaskOf(task, wanted))
    await Promise.all(runs.map((run) => run.stopLater(reason, graceMs)))
  }

  /** Stops all writes after the lease was lost. */
  abandonAll(): void {
    this.#abandoned.abort()
    for (const run of this.#runs.values()) run.abandon()
  }

  /**
   * Kills every container of the node before anyone else may start its jobs. Returns when none is left or `signal`
   * is aborted.
   */
  async killAll(signal: AbortSignal): Promise<void> {
    const runs = [...this.#runs.values()].map((run) => run.done)
    await Promise.all([this.#reconciler.killAll(signal), unlessAborted(this.#hooks.close(), signal)])
    if (signal.aborted) return
    // A task may have been about to start a container when the others were killed.
    await Promise.all(runs)
    await unlessAborted(this.#hooks.close(), signal)
    await this.#reconciler.killAll(signal)
  }

  async #look(): Promise<void> {
    await this.#serialize(async () => {
      if (this.#stopped || this.#left || !this.#reconciled) return
      for (const task of await claimTasks(this.lease)) this.#start(task)
    })
    if (this.#runs.size === 0) return
    for (const order of await readTaskOrders(this.lease)) this.#runs.get(order.id)?.follow(order)
  }

  async #reconcile(): Promise<void> {
    const dropOrphans = await this.#serialize(() => this.#reconciler.compare())
    await dropOrphans()
    if (this.#reconciled) return
    // Foreign GPU use must be known before any GPU is allocated.
    await this.#gpuMonitor?.firstSample
    // Offers the node only now, because a GPU that is free in the database may have been held by a leftover
    // container.
    await this.#serialize(async () => {
      if (!this.#closed) await offerNode(this.lease)
      this.#reconciled = true
    })
    this.#onReconciled()
  }

  async #close(deadline: AbortSignal): Promise<void> {
    this.#closed = true
    await unlessAborted(this.#hooks.close(), deadline)
    await this.#serialize(() => retryWrite(deadline, 'drain', () => drainNode(this.lease)))
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }

  #start(task: ClaimedTask, existing?: ContainerRef): void {
    const onKillFailed = () => this.#quarantine(`The container of task ${task.id}`)
    const run = new TaskRun(this.node, this.#hooks, task, onKillFailed, existing)
    this.#runs.set(task.id, run)
    this.#markAllocated(task)
    if (this.#stopped) run.stop('worker_stopped')
    void run.done.then(() => {
      this.#markAllocated(task)
      this.#runs.delete(task.id)
    })
  }

  #markAllocated(task: ClaimedTask): void {
    this.#gpuMonitor?.markAllocated(task.gpus.map(({ uuid }) => uuid))
  }

  async #quarantine(what: string): Promise<void> {
    logger.error(`${what} could not be killed; the node accepts no new tasks`)
    this.#closed = true
    const advice = 'Check the machine, then restart its worker.'
    await drainNode(this.lease, `${what} could not be killed; its GPUs stay held. ${advice}`)
  }
}
