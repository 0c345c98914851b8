import { chmod, type FileHandle, mkdir, open, utimes } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { errorCode } from '@/lib/contract/error-code'
import { makePrivateDirectory } from '@/lib/env/private-directory'
import { setOwner } from '@/worker/checkpoints/run-directory'
import { openInside, readFingerprint, safeWalk } from '@/worker/files/safe-walk'
import { type BackupProblem, entryNames } from './backup-format'
import type { BackupEntry } from './backup-reader'
import type { BackupWriter } from './backup-writer'

/** Checkpoints in the data directory: files at PROJECT/RUN/PATH that jobs may change at any time. */

const limits = { maxEntries: Number.POSITIVE_INFINITY, maxLevels: 64 }
const partBytes = 1024 * 1024

export interface CopiedFiles {
  count: number
  bytes: number
}

/** Adds every file. Links and special files are skipped: jobs write here, and the backup reads as root. */
export async function addCheckpoints(
  directory: string,
  writer: BackupWriter,
  { onProgress, signal }: { onProgress(copied: CopiedFiles): void; signal: AbortSignal },
): Promise<{ copied: CopiedFiles; problems: BackupProblem[] }> {
  const { files, skipped } = await safeWalk(directory, limits)
  const problems = skipped.map(({ path, why }) => ({
    path: `${entryNames.checkpoints}${path}`,
    problem: `was not copied: ${why}`,
  }))
  const copied = { count: 0, bytes: 0 }
  for (const { path } of files) {
    signal.throwIfAborted()
    const name = `${entryNames.checkpoints}${path}`
    const added = await addFile(directory, path, name, writer)
    if (added === null) {
      problems.push({ path: name, problem: 'was deleted while the backup ran' })
      continue
    }
    if (added.changed) problems.push({ path: name, problem: 'was changed while it was copied' })
    copied.count += 1
    copied.bytes += added.bytes
    onProgress(copied)
  }
  return { copied, problems }
}

async function addFile(
  directory: string,
  path: string,
  name: string,
  writer: BackupWriter,
): Promise<{ bytes: number; changed: boolean } | null> {
  const file = await openInside(directory, path)
  if (file === null) return null
  try {
    const before = await readFingerprint(file)
    const { mode, uid, gid, mtime } = await file.stat()
    await writer.addStream(name, before.bytes, readExactly(file, before.bytes), {
      mode: mode & 0o777,
      uid,
      gid,
      mtime,
    })
    const after = await readFingerprint(file)
    const changed = after.bytes !== before.bytes || after.mtimeNs !== before.mtimeNs
    return { bytes: before.bytes, changed }
  } finally {
    await file.close()
  }
}

/** A tar entry says its size first: a file that shrinks meanwhile is filled up, and one that grows is cut. */
async function* readExactly(file: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const part = Buffer.alloc(Math.min(partBytes, bytes - at))
    const { bytesRead } = await file.read(part, 0, part.length, at)
    const filled = bytesRead === 0 ? part : part.subarray(0, bytesRead)
    yield filled
    at += filled.length
  }
}

/** Writes a file of a backup below an empty directory, with its owner and its time. */
export async function restoreCheckpoint(directory: string, entry: BackupEntry): Promise<void> {
  const path = entry.name.slice(entryNames.checkpoints.length)
  const segments = path.split('/')
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new Error(`The backup has the path ${JSON.stringify(entry.name)}, which gpuq did not write.`)
  }
  const { mode, mtime, ...owner } = entry.attributes
  await makeDirectories(directory, segments.slice(0, -1), owner)
  const target = join(directory, ...segments)
  const file = await open(target, 'wx', 0o600)
  try {
    for await (const part of entry.content) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
  await chmod(target, mode)
  await setOwner(target, owner)
  await utimes(target, mtime, mtime)
}

/**
 * Makes the directories of a file. Those of its run belong to the owner of its files, as a worker makes them; other accounts
 * of the machine cannot enter the one of the project.
 */
async function makeDirectories(
  directory: string,
  [project, ...run]: readonly string[],
  owner: { uid: number; gid: number },
): Promise<void> {
  if (project === undefined) return
  await makePrivateDirectory(join(directory, project))
  let path = join(directory, project)
  for (const name of run) {
    path += sep + name
    try {
      await mkdir(path, { mode: 0o700 })
      await setOwner(path, owner)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}
