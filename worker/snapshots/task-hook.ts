import type { MakeTaskHook } from '../node/task/task-hook'
import type { ReadOnlyMount } from '../runtime/runtime'
import { SnapshotCache, type SnapshotCacheOptions } from './snapshot-cache'

/** Makes the snapshots of a task available on this machine. */
export function snapshots(options: SnapshotCacheOptions): MakeTaskHook {
  const cache = new SnapshotCache(options)
  const makeHook: MakeTaskHook = () => ({
    prestart: async ({ task, container, stopping: signal, note }) => {
      const mounts: ReadOnlyMount[] = []
      for (const { path, ...snapshot } of task.mounts) {
        const source = await cache.acquire(task.id, snapshot, { signal, note })
        mounts.push({ path, source, hash: snapshot.hash })
      }
      return { mounts: [...container.mounts, ...mounts] }
    },
    clear: (taskId) => cache.release(taskId),
  })
  return Object.assign(makeHook, { open: () => cache.open() })
}
