import type { NodeContext } from '../node/node-context'
import { listWarmFiles, removeWarmFiles, warmFiles } from './warm-files'

/**
 * Removes warm containers without a task, and files of warm containers, that an earlier worker of the node left.
 * @param names of the containers to keep
 * @param ids of the warm containers whose files to keep
 */
export async function removeLeftovers(
  { runtime, lease, tasksDirectory }: NodeContext,
  names: ReadonlySet<string>,
  ids: ReadonlySet<string>,
): Promise<void> {
  for (const name of await runtime.warm.listWithoutTask(lease.nodeId))
    if (!names.has(name)) await runtime.warm.remove({ name })
  for (const id of await listWarmFiles(tasksDirectory))
    if (!ids.has(id)) await removeWarmFiles(warmFiles(tasksDirectory, id, true))
}
