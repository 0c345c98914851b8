import { createHash } from 'node:crypto'
import type { Actor } from '../../access/actor'
import type { Frame } from '../../contract/archives/archive-frames'
import { type Entry, findMistakes, isLink } from '../../contract/archives/archive-manifest'
import { GpuqError } from '../../contract/errors'
import { findProjectId, storeFrames } from '../receive'
import { registerArchive } from '../register'
import type { DirectoryUpload } from './directory-upload'
import { EntryLimits } from './entry-limits'
import { type DirectoryPart, refuseArchive, refuseEntry } from './refuse-entry'

/**
 * Stores the files of an upload as a directory of a project, and returns its hash. Reads the upload once for the hashes, and
 * again for the contents that the actor has not sent before.
 * @throws 422 that names an entry which is not possible; 413 above a limit; 403 over the storage quota; 507 on a full disk.
 */
export async function storeUpload(
  actor: Actor,
  projectSlug: string,
  upload: DirectoryUpload,
  part: DirectoryPart,
): Promise<string> {
  const entries = await listEntries(upload, part)
  const { archive, missing } = await registerArchive(actor, projectSlug, entries)
  if (missing.length === 0) return archive
  const projectId = await findProjectId(actor, projectSlug)
  const sender = { projectId, userId: actor.userId }
  await storeFrames(sender, missingContents(upload, entries, new Set(missing)))
  const again = await registerArchive(actor, projectSlug, entries)
  if (again.missing.length === 0) return archive
  throw new GpuqError('unavailable', 'Some files were deleted during the upload. Send it again.')
}

/** Reads the entries with the hashes of their contents. @throws 422, or 413 above a limit */
export async function listEntries(upload: DirectoryUpload, part: DirectoryPart): Promise<Entry[]> {
  const limits = new EntryLimits(part, upload.bytes)
  const entries = new Map<string, Entry>()
  for await (const entry of upload.entries()) {
    const { path } = entry
    limits.addEntry(path, entry.kind === 'directory')
    if (entry.kind === 'link') entries.set(path, { path, target: entry.target })
    else if (entry.kind === 'copy') entries.set(path, copyOf(entries, path, entry.of))
    else if (entry.kind === 'file') {
      const hash = createHash('sha256')
      let bytes = 0
      for await (const piece of entry.content()) {
        limits.addBytes(path, piece.length)
        hash.update(piece)
        bytes += piece.length
      }
      const executable = entry.executable && ({ executable: true } as const)
      entries.set(path, { path, bytes, sha256: hash.digest('hex'), ...executable })
    }
  }
  const listed = [...entries.values()]
  if (listed.length === 0) throw refuseArchive('has no files: add at least one')
  for (const { index, message } of findMistakes(listed))
    throw refuseEntry(part, listed[index]?.path ?? '', message)
  return listed
}

/** A hard link in a tar file names an earlier entry. */
function copyOf(entries: ReadonlyMap<string, Entry>, path: string, of: string): Entry {
  const original = entries.get(of)
  if (original && !isLink(original)) return { ...original, path }
  throw refuseEntry('archive', path, `is a hard link to "${of}", which is no earlier file of the archive`)
}

/** The contents with these hashes, each once. */
async function* missingContents(
  upload: DirectoryUpload,
  entries: readonly Entry[],
  missing: Set<string>,
): AsyncGenerator<Frame> {
  const files = new Map(entries.flatMap((entry) => (isLink(entry) ? [] : [[entry.path, entry] as const])))
  for await (const entry of upload.entries()) {
    const file = entry.kind === 'file' ? files.get(entry.path) : undefined
    if (entry.kind === 'file' && file && missing.delete(file.sha256))
      yield { sha256: file.sha256, bytes: file.bytes, content: entry.content() }
    if (missing.size === 0) return
  }
}
