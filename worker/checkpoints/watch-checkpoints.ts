import { recordRunDirectory } from '@/lib/checkpoints/run-directories'
import type { Run } from '@/lib/cluster/tasks/tasks'
import type { Outcome } from '@/lib/jobs/state/finish'
import { logger } from '@/lib/logger'
import type { NodeContext } from '../node/node-context'
import type { StartedTask, TaskWatch } from '../node/task/task-hook'
import { CheckpointUploader } from './checkpoint-uploader'
import { localCheckpoints } from './local-checkpoints'
import { measureDirectory, sharedCheckpoints, watchSize } from './run-directory'

export interface CheckpointSettings {
  /**
   * The directory for checkpoints, on a disk that all nodes share, so that runs find them on another node. Null: the
   * bucket.
   */
  directory: string | null
  /** Maximum bytes of the checkpoints of one run. */
  limitBytes: number
}

/** Stores the checkpoints of a running task in the bucket, or measures them on a shared disk. */
export function watchCheckpoints(
  { lease, tasksDirectory }: NodeContext,
  { directory: shared, limitBytes }: CheckpointSettings,
  run: Run,
  { task, running, abandoned, note, stop }: StartedTask,
): TaskWatch | null {
  const onOver = () => stop('checkpoint_limit')
  if (shared !== null) {
    const onMeasured = countFor(run, task.id, running)
    // All ranks share it.
    if (task.rank !== 0) return null
    const directory = sharedCheckpoints(shared, run)
    void watchSize(directory, limitBytes, running, { onMeasured, onOver })
    const finish = async ({ reason }: Outcome) => {
      // A paused job is kept only if it has checkpoints, so they are counted before its end.
      if (reason === 'group_paused') await onMeasured(await measureDirectory(directory, limitBytes))
      return null
    }
    return { finish, close: () => {} }
  }
  const local = localCheckpoints(tasksDirectory, task.id)
  const uploader = new CheckpointUploader({ lease, task, run, local, limitBytes, abandoned, note, onOver })
  uploader.start()
  void watchSize(local.files, limitBytes, running, { onMeasured: async () => {}, onOver })
  return { finish: ({ reason }) => uploader.finish(reason), close: () => uploader.close() }
}

/** Returns a function that counts the bytes of a run to its owner. The sweep counts again, which corrects a failure. */
function countFor(run: Run, task: string, running: AbortSignal): (bytes: number) => Promise<void> {
  let counted: number | undefined
  return async (bytes) => {
    if (bytes === counted) return
    try {
      // The last measurement is later: it must not end a request to delete the files of the ended run.
      await recordRunDirectory(run, bytes, { running: !running.aborted })
      counted = bytes
    } catch (error) {
      logger.warn({ err: error, task }, 'could not count the checkpoints of a run')
    }
  }
}
