import { mkdir } from 'node:fs/promises'
import { ChangeSignal } from '@/lib/async/change-signal'
import { sleep } from '@/lib/async/sleep'
import type { GpuReading, GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import { drainNode, type Lease, LeaseLost, leaveNode, offerNode } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, claimTasks, tasksToStop } from '@/lib/cluster/tasks/tasks'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import type { ContainerRef } from '../runtime/runtime'
import { GpuMonitor } from './gpus/gpu-monitor'
import { retryWrite } from './lease/retry-write'
import { Reconciler } from './reconcile'
import { TaskRun } from './task/run-task'
import type { TaskHost } from './task/task-settings'

/** The safety net under the notifications. */
const lookEveryMs = 1_000
const reconcileEveryMs = 5_000
/** After SIGKILL, and the time that the engine and the database need, nothing more is to be expected. */
const stopPatienceMs = 25_000

interface NodeHost extends Omit<TaskHost, 'onKillFailed'> {
  /** Says how the GPUs are; left out where they are simulated. */
  readGpus?: () => Promise<GpuReport>
}

/**
 * Serves one node under one lease: claims what is placed on it, adopts what an earlier worker left, passes cancels on,
 * and keeps database and containers true to each other.
 */
export class NodeService {
  readonly #runs = new Map<string, TaskRun>()
  readonly #reconciler: Reconciler
  readonly #abandoned = new AbortController()
  /** Nothing of the past is left on the node that is not known. */
  #reconciled = false
  /** Takes nothing new: told to drain, or out of service. */
  #closed = false
  #stopped = false
  /** Claiming and adopting take turns: a task that is in between the two would be started twice. */
  #turn: Promise<unknown> = Promise.resolve()

  readonly #gpuWatch: GpuMonitor | undefined

  constructor(readonly host: NodeHost) {
    const { readGpus } = host
    this.#gpuWatch =
      readGpus && new GpuMonitor(host.lease, readGpus, (readings) => this.#takeSample(readings))
    this.#reconciler = new Reconciler(host, {
      isRunning: (taskId) => this.#runs.has(taskId),
      adopt: (task, container) => this.#start(task, container),
      quarantine: (what) => this.#quarantine(what),
    })
  }

  get lease(): Lease {
    return this.host.lease
  }

  /** Serves until `signal` ends it; then what runs is left as it is, for {@link stopAll} or {@link abandonAll}. */
  async serve(signal: AbortSignal): Promise<void> {
    await mkdir(this.host.tasksDirectory, { recursive: true, mode: 0o711 })
    const wake = new ChangeSignal(signal)
    const stop = await listener().listen('node', (id) => {
      if (id === null || id === this.lease.nodeId) wake.notify()
    })
    const stopTyping = await listener().listen('terminal', (taskId) => this.#ringTerminal(taskId))
    try {
      await Promise.all([
        this.#keepLooking(wake, signal),
        this.#keepReconciling(signal),
        this.#gpuWatch?.keepWatching(signal),
      ])
    } finally {
      stop()
      stopTyping()
    }
  }

  async #keepLooking(wake: ChangeSignal, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#tryTo('look for work', () => this.#look())
      await wake.wait(lookEveryMs)
    }
  }

  /** Beside the looking: an engine that is slow to answer here must not hold a cancel up. */
  async #keepReconciling(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#tryTo('reconcile', () => this.#reconcile())
      await sleep(this.#reconciled ? reconcileEveryMs : lookEveryMs, signal)
    }
  }

  async #tryTo(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // Whoever keeps the lease hears of that, too.
      if (!(error instanceof LeaseLost))
        logger.error({ err: error }, `the node could not ${what}, it tries again`)
    }
  }

  /** Takes nothing new, and resolves once everything that runs or was placed here before has ended. */
  async drain(): Promise<void> {
    await this.#close(this.#abandoned.signal)
    while (!this.#abandoned.signal.aborted) {
      await retryWrite(this.#abandoned.signal, 'claim', () => this.#look())
      if (this.#runs.size === 0) return
      await Promise.race([...this.#runs.values()].map((run) => run.done))
    }
  }

  /** Stops every container, gives the jobs back to the queue and the lease to whoever comes. */
  async stopAll(): Promise<void> {
    this.#stopped = true
    const { signal } = this.#abandoned
    const patience = AbortSignal.any([signal, AbortSignal.timeout(stopPatienceMs)])
    // First, or the jobs would be placed here again.
    await this.#close(patience)
    const runs = [...this.#runs.values()]
    for (const run of runs) run.stop('worker_stopped')
    await Promise.race([Promise.all(runs.map((run) => run.done)), sleep(stopPatienceMs, signal)])
    // With a container that would not die, nobody may believe before the lease has run out that the node is free.
    if (this.#runs.size === 0) await retryWrite(patience, 'leave', () => leaveNode(this.lease))
  }

  /** The lease is gone: nothing more is written here. */
  abandonAll(): void {
    this.#abandoned.abort()
    for (const run of this.#runs.values()) run.abandon()
  }

  /**
   * Kills every container of the node, before anyone else may start their jobs. Returns when none is left, or when
   * `signal` ends the patience.
   */
  async killAll(signal: AbortSignal): Promise<void> {
    const runs = [...this.#runs.values()].map((run) => run.done)
    await this.#reconciler.killAll(signal)
    if (signal.aborted) return
    // One may have been about to start a container when the others were killed.
    await Promise.all(runs)
    await this.#reconciler.killAll(signal)
  }

  async #look(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#stopped || !this.#reconciled) return
      for (const task of await claimTasks(this.lease)) this.#start(task)
    })
    if (this.#runs.size === 0) return
    for (const { id, reason } of await tasksToStop(this.lease)) this.#runs.get(id)?.stop(reason)
  }

  async #reconcile(): Promise<void> {
    const dropOrphans = await this.#inTurn(() => this.#reconciler.compare())
    await dropOrphans()
    if (this.#reconciled) return
    // What others do on the GPUs is known before any is given out.
    await this.#gpuWatch?.firstLook
    // Only now: a GPU that the books call free may have been held by a container of the past.
    await this.#inTurn(async () => {
      if (!this.#closed) await offerNode(this.lease)
      this.#reconciled = true
    })
  }

  async #close(patience: AbortSignal): Promise<void> {
    this.#closed = true
    await this.#inTurn(() => retryWrite(patience, 'drain', () => drainNode(this.lease)))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  #start(task: ClaimedTask, existing?: ContainerRef): void {
    const host = {
      ...this.host,
      onKillFailed: (failed: ClaimedTask) => this.#quarantine(`The container of task ${failed.id}`),
    }
    const run = new TaskRun(host, task, existing)
    this.#runs.set(task.id, run)
    this.#noteUse(task)
    if (this.#stopped) run.stop('worker_stopped')
    void run.done.then(() => {
      this.#noteUse(task)
      this.#runs.delete(task.id)
    })
  }

  #noteUse(task: ClaimedTask): void {
    this.#gpuWatch?.noteOurs(task.gpus.map(({ uuid }) => uuid))
  }

  /** Null: which task's it was is not known. */
  #ringTerminal(taskId: string | null): void {
    const runs = taskId === null ? [...this.#runs.values()] : [this.#runs.get(taskId)]
    for (const run of runs) run?.ringTerminal()
  }

  #takeSample(readings: ReadonlyMap<string, GpuReading>): void {
    for (const run of this.#runs.values()) run.takeSample(readings)
  }

  async #quarantine(what: string): Promise<void> {
    logger.error(`${what} would not die; the node takes nothing new`)
    this.#closed = true
    const advice = 'Look at the machine, then start its worker again.'
    await drainNode(this.lease, `${what} would not die; its GPUs stay held. ${advice}`)
  }
}
