import type { MakeTaskHook } from '../node/task/task-hook'
import type { SnapshotMount } from '../runtime/runtime'
import type { SnapshotCache } from './snapshot-cache'

/** Makes the snapshots of a task available on this machine. */
export const snapshots =
  (cache: SnapshotCache): MakeTaskHook =>
  () => ({
    prestart: async ({ task, stopping: signal, note }) => {
      const mounts: SnapshotMount[] = []
      for (const { path, ...snapshot } of task.mounts) {
        const source = await cache.acquire(task.id, snapshot, { signal, note })
        mounts.push({ path, source, hash: snapshot.hash })
      }
      return { mounts }
    },
    clear: (taskId) => cache.release(taskId),
  })
