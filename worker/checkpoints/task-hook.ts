import { logger } from '@/lib/logger'
import type { MakeTaskHook } from '../node/task/task-hook'
import { localCheckpoints, localCheckpointsRoot, removeLocal } from './local-checkpoints'
import { restoreCheckpoints } from './restore-checkpoints'
import { closeRuns, openCheckpoints, runUser, sharedCheckpoints } from './run-directory'
import { type CheckpointSettings, watchCheckpoints } from './watch-checkpoints'

/** Closes what earlier versions left open on the shared disk. What an admin must correct there stops no task. */
export async function closeShared({
  checkpoints: { directory },
}: {
  checkpoints: CheckpointSettings
}): Promise<string[]> {
  if (directory !== null) for (const problem of await closeRuns(directory)) logger.warn(problem)
  return []
}

/** Restores the checkpoints of a run's earlier attempts, and stores those of this one. */
export const checkpoints =
  (settings: CheckpointSettings): MakeTaskHook =>
  (node) => ({
    directory: localCheckpointsRoot(node.tasksDirectory),
    prestart: async ({ task, container: { workspace }, stopping, note }) => {
      const { run } = task
      if (run === null) return {}
      const user = workspace ?? runUser(run)
      if (settings.directory !== null)
        return { checkpoints: await openCheckpoints(sharedCheckpoints(settings.directory, run), user) }
      const local = localCheckpoints(node.tasksDirectory, task.id)
      return { checkpoints: await restoreCheckpoints({ task, run, user, local, note }, stopping) }
    },
    started: (started) => {
      const { run } = started.task
      return run === null ? null : watchCheckpoints(node, settings, run, started)
    },
    clear: (taskId) => removeLocal(node.tasksDirectory, taskId),
  })
