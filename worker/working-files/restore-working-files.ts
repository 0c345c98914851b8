import { lstat, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inParallel } from '@/lib/async/pool'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { parentsOf } from '@/lib/contract/archives/archive-manifest'
import { artifactKey } from '@/lib/results/name'
import { readWorkingFiles } from '@/lib/working-files/record-working-files'
import { fetchObject } from '../files/fetch-object'
import { RuntimeFault } from '../runtime/runtime'

const concurrentFiles = 16

/**
 * Adds the files that earlier attempts of a job wrote in its working directory to the uploaded directory: on a shared disk,
 * a new attempt would find them too.
 * @param directory the uploaded directory on this host, which no container can change. It need not exist.
 * @throws RuntimeFault if they cannot be read or written, and the reason of `signal`.
 */
export async function restoreWorkingFiles(
  directory: string,
  { jobId, rank, attempt }: Pick<ClaimedTask, 'jobId' | 'rank' | 'attempt'>,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o755 })
  const files = attempt === 1 ? [] : await readWorkingFiles({ jobId, rank })
  for (const { path } of files) await makeRoom(directory, path)
  const restore = async ({ id, path, attempt: storedBy, executable, ...content }: (typeof files)[number]) => {
    const key = artifactKey({ jobId, attempt: storedBy, rank }, id)
    const mode = executable ? 0o755 : 0o644
    await fetchObject(key, join(directory, path), content, { mode, signal })
  }
  await inParallel(files, concurrentFiles, restore, signal).catch((cause: unknown) => {
    signal.throwIfAborted()
    const message =
      'The files of an earlier attempt could not be restored. Check the storage, then retry the job.'
    throw new RuntimeFault('engine_error', message, { cause })
  })
}

/** Removes what has the place of a file or of one of its directories, so that nothing is written through a link. */
async function makeRoom(directory: string, path: string): Promise<void> {
  for (const parent of parentsOf(path)) {
    const full = join(directory, parent)
    const stats = await lstat(full).catch(() => null)
    if (stats && !stats.isDirectory()) await rm(full)
  }
  await rm(join(directory, path), { recursive: true, force: true })
  await mkdir(dirname(join(directory, path)), { recursive: true, mode: 0o755 })
}
