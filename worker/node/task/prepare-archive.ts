import { createHash } from 'node:crypto'
import { mkdir, open, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { blobKey } from '@/lib/archives/blob-key'
import { readArchive } from '@/lib/archives/read-archive'
import { refuseCapacity } from '@/lib/archives/workdir-capacity'
import { inParallel } from '@/lib/async/pool'
import { type FileEntry, isLink, type LinkEntry } from '@/lib/contract/archive-manifest'
import { storage } from '@/lib/storage/storage'
import { RuntimeFault } from '../../runtime/runtime'

/** Files laid out beside each other: small ones wait for the store, not for the disk. */
const atOnce = 16

/** The job's memory could not hold its directory: the user's to mend. */
export class DirectoryTooLarge extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DirectoryTooLarge'
  }
}

/** Where in a task's own directory the shipped one lies; the container finds it below /job. */
export const shippedDirectory = 'dir'

interface Shipped {
  /** Null where it was deleted under its job. */
  archiveId: string | null
  memoryMib: number
}

/**
 * Lays a shipped directory out, whole and checked, below the task's own. What an earlier try left is begun anew. Once
 * this has ended, in whatever way, nothing is written any more.
 * @throws DirectoryTooLarge where the task could not hold it, RuntimeFault where it cannot be read, and what `signal` says.
 */
export async function prepareArchive(
  taskDirectory: string,
  { archiveId, memoryMib }: Shipped,
  signal: AbortSignal,
): Promise<void> {
  const root = join(taskDirectory, shippedDirectory)
  await rm(root, { recursive: true, force: true })
  const archive = archiveId === null ? null : await readArchive(archiveId)
  if (!archive) throw gone()
  const tooLarge = refuseCapacity(archive, memoryMib)
  if (tooLarge !== null) throw new DirectoryTooLarge(tooLarge)
  const { entries } = archive.manifest
  const files = entries.flatMap((entry) => (isLink(entry) ? [] : [entry]))
  const links = entries.flatMap((entry) => (isLink(entry) ? [entry] : []))
  for (const directory of directoriesOf(root, entries))
    await mkdir(directory, { recursive: true, mode: 0o755 })
  await inParallel(files, atOnce, signal, (file) => writeFile(root, archive.projectId, file, signal))
  // Last: while files are written, no path leads through a link.
  await inParallel(links, atOnce, signal, (link) => makeLink(root, link))
}

function directoriesOf(root: string, entries: readonly { path: string }[]): Set<string> {
  return new Set([root, ...entries.map(({ path }) => join(root, dirname(path)))])
}

async function writeFile(
  root: string,
  projectId: string,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<void> {
  const { stream } = await storage()
    .open(blobKey(projectId, entry.sha256))
    .catch((cause: unknown) => {
      throw gone(cause)
    })
  const hash = createHash('sha256')
  const file = await open(join(root, entry.path), 'wx', entry.executable ? 0o755 : 0o644)
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      hash.update(piece)
      await file.writeFile(piece)
    }
  } finally {
    stream.destroy()
    await file.close()
  }
  if (hash.digest('hex') !== entry.sha256) throw gone()
}

async function makeLink(root: string, { path, target }: LinkEntry): Promise<void> {
  await symlink(target, join(root, path))
}

function gone(cause?: unknown): RuntimeFault {
  const message = 'The directory that came with the job could not be read from the store.'
  return new RuntimeFault('engine_error', message, { cause })
}
