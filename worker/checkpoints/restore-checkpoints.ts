import { mkdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { inParallel } from '@/lib/async/pool'
import { type CheckpointFile, checkpointKey, readCheckpoints } from '@/lib/checkpoints/checkpoint-files'
import type { ClaimedTask, Run } from '@/lib/cluster/tasks/tasks'
import { fetchObject, isDiskFull } from '../files/fetch-object'
import { TransferProgress } from '../files/transfer-progress'
import { retryWrite } from '../node/lease/retry-write'
import { RuntimeFault, type TaskCheckpoints } from '../runtime/runtime'
import type { TaskUser } from '../runtime/spec/container-spec'
import { chooseRestored, directoriesAbove, refusePath } from './choose-restored'
import { type LocalCheckpoints, markRestored, recreateLocal } from './local-checkpoints'
import { openCheckpoints, setOwner } from './run-directory'

const atOnce = 8

interface Restoring {
  task: ClaimedTask
  run: Run
  user: TaskUser
  local: LocalCheckpoints
  /** Reports progress in the job's output. */
  note: (text: string) => void
}

/**
 * Restores the recorded checkpoints of a run to a task's own directory, complete and verified. Starts from scratch
 * when repeated.
 * @throws RuntimeFault if they are not available, because no attempt may start without the state of the last one;
 * and the reason of `signal`.
 */
export async function restoreCheckpoints(
  restoring: Restoring,
  signal: AbortSignal,
): Promise<TaskCheckpoints> {
  const { task, run, user, local, note } = restoring
  const recorded = await retryWrite(signal, 'checkpoints', () => readCheckpoints(task, run))
  const files = chooseRestored(recorded)
  const refused = files.find(({ path }) => refusePath(path) !== null)
  if (refused)
    throw new RuntimeFault(
      'engine_error',
      'A checkpoint of the run has a path that leaves the directory. Delete it from the record.',
    )
  await recreateLocal(local)
  const opened = await openCheckpoints(local.files, user)
  const directories = new Set(files.flatMap(({ path }) => directoriesAbove(path)))
  for (const directory of directories) {
    await mkdir(join(local.files, directory), { mode: 0o755 })
    await setOwner(join(local.files, directory), user)
  }
  const progress = new TransferProgress('restoring checkpoints', files, note)
  await inParallel(files, atOnce, (file) => restoreFile(restoring, file, progress, signal), signal)
  progress.end()
  await markRestored(local)
  return opened
}

async function restoreFile(
  { run, user, local }: Restoring,
  file: CheckpointFile,
  progress: TransferProgress,
  signal: AbortSignal,
): Promise<void> {
  const path = join(local.files, file.path)
  await fetchObject(checkpointKey(run, file.object), path, file, {
    mode: file.executable ? 0o755 : 0o644,
    signal,
    onBytes: (bytes) => progress.add(bytes),
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw unreadable(error)
  })
  const seconds = Number(file.mtimeNs) / 1e9
  // The program may have set a time that the disk does not support.
  await utimes(path, seconds, seconds).catch(() => undefined)
  await setOwner(path, user)
  progress.endFile()
}

function unreadable(cause: unknown): RuntimeFault {
  const message = isDiskFull(cause)
    ? "The run's checkpoints do not fit on the node's disk. Free some space there."
    : "The run's checkpoints could not be read from the store."
  return new RuntimeFault('engine_error', message, { cause })
}
