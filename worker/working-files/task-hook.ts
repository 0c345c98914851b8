import { join } from 'node:path'
import { retry } from '@/lib/async/retry'
import { unlessAborted } from '@/lib/async/sleep'
import { timeLimit } from '@/lib/async/time-limit'
import { Fenced } from '@/lib/cluster/tasks/tasks'
import type { EndReason } from '@/lib/contract/reasons'
import { logger } from '@/lib/logger'
import { uploadedDirectory } from '../archives/prepare-archive'
import { describeMissing } from '../files/describe-missing'
import { removeMemoryDirectory } from '../files/memory-directory'
import type { MakeTaskHook } from '../node/task/task-hook'
import { taskUser } from '../runtime/spec/container-spec'
import { restoreWorkingFiles } from './restore-working-files'
import {
  createWorkingDirectory,
  isCopied,
  workingDirectoriesRoot,
  workingDirectoryOf,
} from './working-directory'
import { WorkingFilesUploader } from './working-files-uploader'

/** Maximum time to store the last files; shorter for a cancelled job, whose owner waits. */
const timeoutMs = 10 * 60_000
const cancelledTimeoutMs = 10_000
/** A store that fails for this long counts as down. */
const downMs = 60_000

/** Gives a task its working directory, and stores what it changes there. */
export const workingFiles: MakeTaskHook = ({ lease, tasksDirectory }) => ({
  directory: workingDirectoriesRoot(tasksDirectory),
  prestart: async ({ task, container, stopping }) => {
    if (task.spec.working_directory === undefined) return {}
    await restoreWorkingFiles(join(container.directory, uploadedDirectory), task, stopping)
    return { workingDirectory: await createWorkingDirectory(tasksDirectory, task, taskUser(container)) }
  },
  started: ({ task, abandoned, note }) => {
    const path = task.spec.working_directory
    if (path === undefined) return null
    const directory = workingDirectoryOf(tasksDirectory, task.id)
    const uploaded = join(tasksDirectory, task.id, uploadedDirectory)
    const isReady = () => isCopied(directory)
    const source = { lease, task, path, directory, isReady, uploaded, abandoned, note }
    const uploader = new WorkingFilesUploader(source)
    uploader.start()
    return { finish: ({ reason }) => storeLast(uploader, reason), close: () => uploader.close() }
  },
  clear: (taskId) => removeMemoryDirectory(workingDirectoryOf(tasksDirectory, taskId)),
})

/** Returns a sentence for the job about files that were not stored; null if all were. @throws {Fenced} */
async function storeLast(uploader: WorkingFilesUploader, reason: EndReason): Promise<string | null> {
  const { task, abandoned, path } = uploader.of
  const signal = timeLimit(reason.startsWith('cancelled') ? cancelledTimeoutMs : timeoutMs, abandoned)
  let failingSince: number | null = null
  const onFailure = (error: unknown) => {
    failingSince ??= performance.now()
    if (error instanceof Fenced || signal.aborted || performance.now() > failingSince + downMs) throw error
    logger.warn({ err: error, task: task.id }, 'could not store the last files, retrying')
  }
  const finish = retry(() => uploader.finish(signal), { firstMs: 500, longestMs: 5_000, signal, onFailure })
  try {
    const skipped = await unlessAborted(finish, signal)
    if (skipped !== null) return describeMissing(skipped, path)
  } catch (error) {
    if (error instanceof Fenced) throw error
    logger.error({ err: error, task: task.id }, 'could not store the last files of a working directory')
  }
  if (abandoned.aborted) throw new Fenced(task.id)
  return `The last changes in ${path} were not kept: the storage did not accept them in time.`
}
