import type { TaskContainer } from '../../runtime/runtime'
import type { NodeContext } from '../node-context'
import { endingItself } from './program/ending-itself'
import type { TaskStart } from './task-hook'
import type { TaskHooks } from './task-hooks'
import { toContainerSpec } from './to-container-spec'

/**
 * Creates the files of a task on this host, and returns the container that it needs. Idempotent. Returns null if the task was
 * stopped first, because large files take a while.
 */
export async function prepareTask(
  node: NodeContext,
  hooks: TaskHooks,
  start: Omit<TaskStart, 'container'>,
): Promise<TaskContainer | null> {
  const { task, stopping } = start
  try {
    const container = await hooks.prestart({ ...start, container: toContainerSpec(task, node) })
    if (!node.keepsJobs) return container
    return { ...container, command: endingItself(container.command, task.timeLimitS) }
  } catch (error) {
    if (stopping.aborted) return null
    throw error
  }
}
