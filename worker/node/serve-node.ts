import { drainNode, type Lease, leaveNode } from '@/lib/cluster/nodes'
import {
  type ClaimedTask,
  claimTasks,
  Fenced,
  finishTask,
  releaseGone,
  tasksHoldingGpus,
  tasksToCancel,
  unfinishedTasks,
} from '@/lib/cluster/tasks'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import type { ContainerRef } from '../runtime/runtime'
import { Wake } from '../wake'
import { type TaskHost, TaskRun } from './run-task'
import { removeTaskDirectory, taskDirectory } from './task-directory'

/** The safety net under the notifications. */
const lookEveryMs = 1_000
const reconcileEveryMs = 5_000

/**
 * Serves one node under one lease: claims what is placed on it, adopts what an earlier worker left, passes cancels on,
 * and keeps database and containers true to each other.
 */
export class NodeService {
  readonly #runs = new Map<string, TaskRun>()
  #stopped = false

  constructor(readonly host: Omit<TaskHost, 'onKillFailed'>) {}

  get lease(): Lease {
    return this.host.lease
  }

  /** Serves until `signal` ends it; then what runs is left as it is, for {@link stopAll} or {@link abandonAll}. */
  async serve(signal: AbortSignal): Promise<void> {
    const wake = new Wake(signal)
    const stop = await listener().listen('node', (id) => {
      if (id === null || id === this.lease.nodeId) wake.ring()
    })
    let reconciled = Number.NEGATIVE_INFINITY
    try {
      while (!signal.aborted) {
        try {
          if (performance.now() - reconciled > reconcileEveryMs) {
            await this.#reconcile()
            reconciled = performance.now()
          }
          await this.#look()
        } catch (error) {
          logger.error({ err: error }, 'the node could not look for work, it tries again in a second')
        }
        await wake.rung(lookEveryMs)
      }
    } finally {
      stop()
    }
  }

  /** Takes nothing new, and resolves once everything that runs or was placed here before has ended. */
  async drain(): Promise<void> {
    await drainNode(this.lease)
    for (;;) {
      await this.#look()
      if (this.#runs.size === 0) return
      await Promise.race([...this.#runs.values()].map((run) => run.done))
    }
  }

  /** Stops every container and gives the jobs back to the queue. */
  async stopAll(): Promise<void> {
    this.#stopped = true
    const runs = [...this.#runs.values()]
    for (const run of runs) run.stop('worker_stopped')
    await Promise.all(runs.map((run) => run.done))
    await leaveNode(this.lease)
  }

  /** The lease is gone: nothing more is written here. */
  abandonAll(): void {
    for (const run of this.#runs.values()) run.abandon()
    this.#runs.clear()
  }

  /** Kills every container of the node: before anyone else may start their jobs. */
  async killAll(): Promise<void> {
    const containers = await this.host.runtime.list(this.lease.nodeId)
    await Promise.all(containers.map((container) => this.#drop(container)))
  }

  async #look(): Promise<void> {
    if (!this.#stopped) for (const task of await claimTasks(this.lease)) this.#start(task)
    if (this.#runs.size === 0) return
    for (const { id, reason } of await tasksToCancel(this.lease)) this.#runs.get(id)?.stop(reason)
  }

  #start(task: ClaimedTask, existing?: ContainerRef): void {
    const host = { ...this.host, onKillFailed: (failed: ClaimedTask) => this.#quarantine(failed) }
    const run = new TaskRun(host, task, existing)
    this.#runs.set(task.id, run)
    void run.done.then(() => {
      if (this.#runs.get(task.id) === run) this.#runs.delete(task.id)
    })
  }

  async #quarantine(task: ClaimedTask): Promise<void> {
    await drainNode(this.lease, `The container of task ${task.id} would not die; its GPUs stay held.`)
  }

  /** Holds the database's live tasks against the engine's containers. */
  async #reconcile(): Promise<void> {
    const containers = await this.host.runtime.list(this.lease.nodeId)
    const unfinished = await unfinishedTasks(this.lease)
    const containerOfTask = new Map(containers.map((container) => [container.taskId, container]))
    for (const task of unfinished) {
      if (this.#runs.has(task.id)) continue
      const existing = containerOfTask.get(task.id)
      if (existing || task.status === 'starting') this.#start(task, existing)
      else await this.#reportGone(task)
    }
    const live = new Set(unfinished.map(({ id }) => id))
    const orphans = containers.filter(({ taskId }) => !live.has(taskId) && !this.#runs.has(taskId))
    for (const orphan of orphans) await this.#drop(orphan)
    const held = (await tasksHoldingGpus(this.lease)).filter((id) => !this.#runs.has(id))
    if (held.length === 0) return
    const left = new Set((await this.host.runtime.list(this.lease.nodeId)).map(({ taskId }) => taskId))
    const gone = held.filter((id) => !left.has(id))
    if (gone.length > 0) await releaseGone(this.lease, gone)
  }

  async #reportGone(task: ClaimedTask): Promise<void> {
    const outcome = {
      reason: 'internal_error',
      detail: 'Its container disappeared from the node.',
      exitCode: null,
    } as const
    await finishTask(this.lease, task, outcome).catch((error: unknown) => {
      if (!(error instanceof Fenced)) throw error
    })
  }

  async #drop(container: ContainerRef): Promise<void> {
    try {
      await this.host.runtime.stop(container, 0)
      await this.host.runtime.remove(container)
      await removeTaskDirectory(taskDirectory(this.host.tasksDirectory, container.taskId))
    } catch (error) {
      logger.error(
        { err: error, container: container.id },
        'a container that nobody owns could not be removed',
      )
    }
  }
}
