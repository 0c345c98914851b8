import { setMaxListeners } from 'node:events'
import { chmod, mkdir, open, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { blobKey } from '@/lib/archives/blob-key'
import { inParallel } from '@/lib/async/pool'
import { type Entry, isLink, type Manifest, parentsOf } from '@/lib/contract/archives/archive-manifest'
import { fetchObject } from './fetch-object'

/** Concurrent files; small ones wait for the store, not for the disk. */
const concurrentFiles = 16

interface UnpackOptions {
  signal: AbortSignal
  /** Reports received bytes and complete files. */
  progress?: { add(bytes: number): void; endFile(): void }
  /** Nobody may write to the files, and they survive a power failure once this resolves. */
  permanent?: boolean
}

/**
 * Writes the files and links of an archive into a new directory and verifies them. After it has returned or thrown,
 * nothing is written any more.
 * @throws the errors of the store and the disk, and the reason of `signal`.
 */
export async function unpackArchive(
  root: string,
  { projectId, manifest: { entries } }: { projectId: string; manifest: Manifest },
  { signal: given, progress, permanent = false }: UnpackOptions,
): Promise<void> {
  const signal = AbortSignal.any([given])
  // Each file that is being written listens to it.
  setMaxListeners(0, signal)
  const files = entries.flatMap((entry) => (isLink(entry) ? [] : [entry]))
  const links = entries.flatMap((entry) => (isLink(entry) ? [entry] : []))
  const directories = [root, ...directoriesOf(entries).map((path) => join(root, path))]
  for (const directory of directories) await mkdir(directory, { recursive: true, mode: 0o755 })
  const modeOf = (executable: boolean) => (permanent ? 0o444 : 0o644) | (executable ? 0o111 : 0)
  await inParallel(
    files,
    concurrentFiles,
    async (file) => {
      await fetchObject(blobKey(projectId, file.sha256), join(root, file.path), file, {
        mode: modeOf(file.executable === true),
        signal,
        durable: permanent,
        ...(progress && { onBytes: (bytes) => progress.add(bytes) }),
      })
      progress?.endFile()
    },
    signal,
  )
  // Links are created last, so that no file is written through a link.
  await inParallel(links, concurrentFiles, ({ path, target }) => symlink(target, join(root, path)), signal)
  if (permanent) await inParallel(directories, concurrentFiles, sealDirectory, signal)
}

/** The directories of an archive, parents first, without its root. */
export function directoriesOf(entries: readonly Pick<Entry, 'path'>[]): string[] {
  return [...new Set(entries.flatMap(({ path }) => parentsOf(path)))]
}

/** Names are durable only once their directory is synced. The worker's umask may have hidden it from the job's user. */
async function sealDirectory(path: string): Promise<void> {
  await chmod(path, 0o755)
  await syncPath(path)
}

/** Writes the names in a directory, or the content of a file, to the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
