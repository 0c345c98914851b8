import { setTimeout as sleep } from 'node:timers/promises'
import { finishTask, releaseTasks, tasksHoldingGpus } from '@/lib/cluster/tasks/finish-task'
import { type ClaimedTask, Fenced, unfinishedTasks } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'
import { type ContainerRef, RuntimeFault } from '../runtime/runtime'
import type { NodeContext } from './node-context'
import type { TaskHooks } from './task/task-hooks'

/** What the reconciler needs from the owner of the running tasks. */
interface TaskRunner {
  isRunning(taskId: string): boolean
  adopt(task: ClaimedTask, container?: ContainerRef): void
  /** Takes the node out of service, because something on it cannot be stopped. */
  quarantine(what: string): Promise<void>
}

/** Compares the live tasks of the database with the containers on the node. */
export class Reconciler {
  /** Containers that could not be killed. Each takes the node out of service once. */
  readonly #killFailed = new Set<string>()

  constructor(
    readonly node: NodeContext,
    readonly hooks: TaskHooks,
    readonly runs: TaskRunner,
  ) {}

  /**
   * Adopts tasks of an earlier worker, and reports missing containers. Returns a function that removes containers,
   * networks and files without a task, which may take long.
   * Lists containers, networks and files before the tasks, so that anything listed without a live task is an orphan.
   */
  async compare(): Promise<() => Promise<void>> {
    const { runtime, lease } = this.node
    const containers = await runtime.list(lease.nodeId)
    const networks = await runtime.listNetworks(lease.nodeId)
    const withFiles = await this.hooks.listTasksWithFiles()
    const unfinished = await unfinishedTasks(lease)
    const containerOfTask = new Map(containers.map((container) => [container.taskId, container]))
    for (const task of unfinished) {
      if (this.runs.isRunning(task.id)) continue
      const existing = containerOfTask.get(task.id)
      if (existing || task.status === 'starting') this.runs.adopt(task, existing)
      else await this.#reportGone(task)
    }
    const live = new Set(unfinished.map(({ id }) => id))
    const isOrphan = (taskId: string) => !live.has(taskId) && !this.runs.isRunning(taskId)
    const orphans = containers.filter(({ taskId }) => isOrphan(taskId))
    const leftovers = withFiles.filter((taskId) => isOrphan(taskId) && !containerOfTask.has(taskId))
    // Keeps a network that other nodes of this engine still use; the last of them removes it.
    const attempts = new Set(unfinished.map(attemptKey))
    const unused = networks.filter((network) => !attempts.has(attemptKey(network)))
    return async () => {
      await Promise.all(orphans.map((orphan) => this.#removeOrphan(orphan)))
      await Promise.all(leftovers.map((taskId) => this.hooks.clear(taskId)))
      await Promise.all(unused.map((network) => runtime.removeNetwork(network)))
      await this.#releaseEndedTasks()
    }
  }

  /** Kills every container of the node, repeatedly until none is left or `signal` is aborted. */
  async killAll(signal: AbortSignal): Promise<void> {
    const { runtime, lease } = this.node
    while (!signal.aborted) {
      try {
        const containers = await runtime.list(lease.nodeId)
        if (containers.length === 0) return
        await Promise.all(containers.map((container) => this.#remove(container)))
      } catch (error) {
        logger.error({ err: error }, 'could not stop the containers of a lost lease, retrying')
        await sleep(1_000)
      }
    }
  }

  /** Releases GPUs of containers that could not be killed earlier and are gone now. */
  async #releaseEndedTasks(): Promise<void> {
    const { runtime, lease } = this.node
    const held = (await tasksHoldingGpus(lease)).filter((id) => !this.runs.isRunning(id))
    if (held.length === 0) return
    const left = new Set((await runtime.list(lease.nodeId)).map(({ taskId }) => taskId))
    const gone = held.filter((id) => !left.has(id))
    if (gone.length > 0) await releaseTasks(lease, gone)
  }

  async #reportGone(task: ClaimedTask): Promise<void> {
    const outcome = {
      reason: 'internal_error',
      detail: 'Its container disappeared from the node.',
      exitCode: null,
    } as const
    await finishTask(this.node.lease, task, outcome).catch((error: unknown) => {
      if (!(error instanceof Fenced)) throw error
    })
  }

  /** @throws if it is unknown whether the container has ended. */
  async #removeOrphan(container: ContainerRef): Promise<void> {
    try {
      await this.#remove(container)
    } catch (error) {
      if (!(error instanceof RuntimeFault) || error.code !== 'kill_failed') throw error
      if (this.#killFailed.has(container.id)) return
      await this.runs.quarantine(`The container of task ${container.taskId}`)
      this.#killFailed.add(container.id)
    }
  }

  async #remove(container: ContainerRef): Promise<void> {
    await this.node.runtime.stop(container, 0)
    await this.node.runtime.remove(container)
    await this.hooks.clear(container.taskId)
  }
}

const attemptKey = ({ jobId, attempt }: { jobId: string; attempt: number }) => `${jobId} ${attempt}`
