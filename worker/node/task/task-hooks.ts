import type { Outcome } from '@/lib/jobs/state/finish'
import { listDirectory } from '../../files/list-directory'
import type { TaskContainer } from '../../runtime/runtime'
import type { NodeContext } from '../node-context'
import type { ExitedTask, MakeTaskHook, NodeUse, StartedTask, TaskHook, TaskStart } from './task-hook'

/** Calls the hooks of a node under one lease, in their order. */
export class TaskHooks {
  readonly #hooks: readonly TaskHook[]
  readonly #tasksDirectory: string

  constructor(node: NodeContext, makers: readonly MakeTaskHook[]) {
    this.#tasksDirectory = node.tasksDirectory
    this.#hooks = makers.map((make) => make(node))
  }

  /** Returns the container as the hooks have changed it. The first error ends it; {@link clear} removes what was prepared. */
  async prestart(start: TaskStart): Promise<TaskContainer> {
    let { container } = start
    for (const hook of this.#hooks) {
      if (hook.prestart) container = { ...container, ...(await hook.prestart({ ...start, container })) }
    }
    return container
  }

  /** Starts what the hooks do while the container runs. What is missing at the end is also written to the output. */
  started(run: StartedTask) {
    const watches = this.#hooks.flatMap((hook) => hook.started?.(run) ?? [])
    return {
      /** Returns the outcome with what is missing. @throws {Fenced} */
      finish: async (outcome: Outcome): Promise<Outcome> => {
        const sentences = await Promise.all(watches.map((watch) => watch.finish(outcome)))
        for (const sentence of sentences) if (sentence !== null) run.note(sentence)
        return withDetail(outcome, ...sentences)
      },
      /** Stops without storing the rest. */
      close: () => {
        for (const watch of watches) watch.close()
      },
    }
  }

  /** Returns the outcome with what the hooks say about missing files. @throws {Fenced} */
  async exited(end: ExitedTask): Promise<Outcome> {
    let { outcome } = end
    for (const hook of this.#hooks) {
      if (hook.exited) outcome = withDetail(outcome, await hook.exited({ ...end, outcome }))
    }
    return outcome
  }

  /**
   * Removes everything that a task has on this node, the last hook first. A hook that fails keeps no other from clearing. Until
   * everything is gone, the task's own directory stays: if something fails or the worker is killed, the next reconciliation finds it
   * and clears again.
   * @throws what failed; AggregateError if several hooks did.
   */
  async clear(taskId: string): Promise<void> {
    const failures: unknown[] = []
    for (const hook of this.#hooks.toReversed()) {
      if (failures.length > 0 && hook.directory === this.#tasksDirectory) continue
      try {
        await hook.clear?.(taskId)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join(' '))
    if (failures.length === 1) throw failures[0]
  }

  /** Returns the ids of the tasks that have files on this node. */
  async listTasksWithFiles(): Promise<string[]> {
    const directories = this.#hooks.flatMap(({ directory }) => directory ?? [])
    return [...new Set((await Promise.all(directories.map(listDirectory))).flat())]
  }

  async serve(use: NodeUse, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#hooks.map((hook) => hook.serve?.(use, signal)))
  }

  async close(): Promise<void> {
    await Promise.all(this.#hooks.map((hook) => hook.close?.()))
  }
}

function withDetail(outcome: Outcome, ...sentences: (string | null)[]): Outcome {
  const all = [outcome.detail, ...sentences].filter(Boolean)
  return all.length === 0 ? outcome : { ...outcome, detail: all.join(' ') }
}
