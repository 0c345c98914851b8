import { setTimeout as sleep } from 'node:timers/promises'
import { releaseGone, tasksHoldingGpus } from '@/lib/cluster/tasks/allocations'
import { finishTask } from '@/lib/cluster/tasks/finish-task'
import { type ClaimedTask, Fenced, unfinishedTasks } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'
import { listLocal } from '../checkpoints/local-checkpoints'
import { type ContainerRef, RuntimeFault } from '../runtime/runtime'
import { listArtifactDirectories } from './artifacts/artifacts-directory'
import { clearTask } from './task/prepare-task'
import { listTaskDirectories } from './task/task-directory'
import type { TaskHost } from './task/task-settings'

/** What the reconciler asks of the one who runs the tasks. */
interface Runs {
  isRunning(taskId: string): boolean
  adopt(task: ClaimedTask, container?: ContainerRef): void
  /** Takes the node out of service: something on it cannot be stopped. */
  quarantine(what: string): Promise<void>
}

/** Holds the database's live tasks against what is really on the node. */
export class Reconciler {
  /** Containers that would not die: the node is taken out of service for each once. */
  readonly #killFailed = new Set<string>()

  constructor(
    readonly host: Omit<TaskHost, 'onKillFailed'>,
    readonly runs: Runs,
  ) {}

  /**
   * Adopts what an earlier worker left, and reports what is gone. Returns how to get rid of containers, networks and
   * files that belong to no task, which may take long.
   *
   * Containers, networks and files are listed before the tasks: what is there then and has no live task is nobody's.
   */
  async compare(): Promise<() => Promise<void>> {
    const { runtime, lease, tasksDirectory } = this.host
    const containers = await runtime.list(lease.nodeId)
    const networks = await runtime.listNetworks(lease.nodeId)
    const directories = await listTaskDirectories(tasksDirectory)
    const results = await listArtifactDirectories(tasksDirectory)
    const checkpoints = await listLocal(tasksDirectory)
    const unfinished = await unfinishedTasks(lease)
    const containerOfTask = new Map(containers.map((container) => [container.taskId, container]))
    for (const task of unfinished) {
      if (this.runs.isRunning(task.id)) continue
      const existing = containerOfTask.get(task.id)
      if (existing || task.status === 'starting') this.runs.adopt(task, existing)
      else await this.#reportGone(task)
    }
    const live = new Set(unfinished.map(({ id }) => id))
    const isNobodys = (taskId: string) => !live.has(taskId) && !this.runs.isRunning(taskId)
    const orphans = containers.filter(({ taskId }) => isNobodys(taskId))
    const isLeft = (taskId: string) => isNobodys(taskId) && !containerOfTask.has(taskId)
    const files = [...new Set([...directories, ...results, ...checkpoints])].filter(isLeft)
    // One that tasks on other nodes of this engine are still on is left to the last of them.
    const attempts = new Set(unfinished.map(attemptKey))
    const unused = networks.filter((network) => !attempts.has(attemptKey(network)))
    return async () => {
      await Promise.all(orphans.map((orphan) => this.#drop(orphan)))
      await Promise.all(files.map((taskId) => this.#removeFiles(taskId)))
      await Promise.all(unused.map((network) => runtime.removeNetwork(network)))
      await this.#releaseGone()
    }
  }

  /** Kills every container of the node, and asks again until there is none, or `signal` ends the patience. */
  async killAll(signal: AbortSignal): Promise<void> {
    const { runtime, lease } = this.host
    while (!signal.aborted) {
      try {
        const containers = await runtime.list(lease.nodeId)
        if (containers.length === 0) return
        await Promise.all(containers.map((container) => this.#remove(container)))
      } catch (error) {
        logger.error({ err: error }, 'the containers of a lost lease could not be stopped, trying again')
        await sleep(1_000)
      }
    }
  }

  /** GPUs that were kept because a container would not die are free once it is gone. */
  async #releaseGone(): Promise<void> {
    const { runtime, lease } = this.host
    const held = (await tasksHoldingGpus(lease)).filter((id) => !this.runs.isRunning(id))
    if (held.length === 0) return
    const left = new Set((await runtime.list(lease.nodeId)).map(({ taskId }) => taskId))
    const gone = held.filter((id) => !left.has(id))
    if (gone.length > 0) await releaseGone(lease, gone)
  }

  async #reportGone(task: ClaimedTask): Promise<void> {
    const outcome = {
      reason: 'internal_error',
      detail: 'Its container disappeared from the node.',
      exitCode: null,
    } as const
    await finishTask(this.host.lease, task, outcome).catch((error: unknown) => {
      if (!(error instanceof Fenced)) throw error
    })
  }

  /** @throws when it is not known whether the container has ended. */
  async #drop(container: ContainerRef): Promise<void> {
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
    await this.host.runtime.stop(container, 0)
    await this.host.runtime.remove(container)
    await this.#removeFiles(container.taskId)
  }

  async #removeFiles(taskId: string): Promise<void> {
    await clearTask(this.host, taskId)
  }
}

const attemptKey = ({ jobId, attempt }: { jobId: string; attempt: number }) => `${jobId} ${attempt}`
