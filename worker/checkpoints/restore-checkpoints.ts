import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { inParallel } from '@/lib/async/pool'
import { retry } from '@/lib/async/retry'
import { unlessAborted } from '@/lib/async/sleep'
import {
  type CheckpointFile,
  checkpointKey,
  type Run,
  readCheckpoints,
} from '@/lib/cluster/checkpoints/checkpoint-files'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { errorCode } from '@/lib/contract/error-code'
import { logger } from '@/lib/logger'
import { storage } from '@/lib/storage/storage'
import { StorageFault } from '@/lib/storage/store'
import { retryWrite } from '../node/lease/retry-write'
import { RuntimeFault, type TaskCheckpoints } from '../runtime/runtime'
import type { TaskUser } from '../runtime/spec/container-spec'
import { chooseRestored, directoriesAbove, refusePath } from './choose-restored'
import { type LocalCheckpoints, markRestored, recreateLocal } from './local-checkpoints'
import { RestoreProgress } from './restore-progress'
import { openCheckpoints, setOwner } from './run-directory'

const atOnce = 8
/** A store that returns nothing for this long counts as down: the GPUs are released, and the job is retried later. */
const downMs = 60_000

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
  const progress = new RestoreProgress(files, note)
  await inParallel(files, atOnce, (file) => restoreFile(restoring, file, progress, signal), signal)
  progress.end()
  await markRestored(local)
  return opened
}

/** Retries for a while if the store does not respond. */
async function restoreFile(
  { task, run, user, local }: Restoring,
  file: CheckpointFile,
  progress: RestoreProgress,
  signal: AbortSignal,
): Promise<void> {
  const path = join(local.files, file.path)
  const since = performance.now()
  const restore = async () => {
    signal.throwIfAborted()
    await writeContent(checkpointKey(run, file.object), path, file, progress, signal)
    await setOwner(path, user)
  }
  const onFailure = (error: unknown) => {
    signal.throwIfAborted()
    logger.warn({ err: error, task: task.id, object: file.object }, 'could not restore a checkpoint')
    if (!isPassing(error) || performance.now() > since + downMs) throw unreadable(error)
  }
  await retry(restore, { firstMs: 500, longestMs: 5_000, signal, onFailure })
}

async function writeContent(
  key: string,
  path: string,
  { bytes, sha256, mtimeNs, executable }: CheckpointFile,
  progress: RestoreProgress,
  signal: AbortSignal,
): Promise<void> {
  const stream = await openObject(key, signal)
  const hash = createHash('sha256')
  // Overwrites the file of an earlier try.
  const file = await open(path, 'w', executable ? 0o755 : 0o644)
  let written = 0
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      hash.update(piece)
      await file.writeFile(piece)
      written += piece.length
      progress.add(piece.length)
    }
    const seconds = Number(mtimeNs) / 1e9
    // The program may have set a time that the disk does not support.
    await file.utimes(seconds, seconds).catch(() => undefined)
  } catch (error) {
    progress.add(-written)
    throw error
  } finally {
    stream.destroy()
    await file.close()
  }
  if (written !== bytes || hash.digest('hex') !== sha256) {
    progress.add(-written)
    throw new StorageFault('storage_error', 'The store returned different content than was stored.')
  }
  progress.endFile()
}

/** Stops waiting when `signal` is aborted, even if the store does not respond. */
async function openObject(key: string, signal: AbortSignal): Promise<Readable> {
  const opening = storage()
    .open(key)
    .then(({ stream }) => addAbortSignal(signal, stream))
  const stream = await unlessAborted(opening, signal)
  if (stream) return stream
  throw signal.reason
}

function isPassing(error: unknown): boolean {
  return !['not_found', 'denied', 'ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')
}

function unreadable(cause: unknown): RuntimeFault {
  const isDiskFull = ['ENOSPC', 'EDQUOT'].includes(errorCode(cause) ?? '')
  const message = isDiskFull
    ? "The run's checkpoints do not fit on the node's disk. Free some space there."
    : "The run's checkpoints could not be read from the store."
  return new RuntimeFault('engine_error', message, { cause })
}
