import { createHash } from 'node:crypto'
import type { Actor } from '../../access/actor'
import type { Frame } from '../../contract/archives/archive-frames'
import { type Entry, findMistakes, isLink } from '../../contract/archives/archive-manifest'
import { LeftOut } from '../../contract/archives/rules/left-out'
import { type NamedFiles, placeEntries } from '../../contract/archives/unpack/place-entries'
import { GpuqError } from '../../contract/errors'
import { findProjectId, storeFrames } from '../receive'
import { registerArchive } from '../register'
import type { DirectoryUpload } from './directory-upload'
import { EntryLimits } from './entry-limits'
import { type DirectoryPart, refuseArchive, refuseEntry } from './refuse-entry'

/**
 * Stores the files of an upload as a directory of a project. Returns its hash, and a sentence about what is not sent. Reads the upload once for the hashes, and
 * again for the contents that the actor has not sent before.
 * @param named what the config names of an archive; null if the archive comes with a program, so that it stays as it is packed.
 * @throws 422 that names an entry which is not possible; 413 above a limit; 403 over the storage quota; 507 on a full disk.
 */
export async function storeUpload(
  actor: Actor,
  projectSlug: string,
  upload: DirectoryUpload,
  part: DirectoryPart,
  named: NamedFiles | null = null,
): Promise<{ archive: string; notSent: string | null }> {
  const { files, notSent } = await listEntries(upload, part, named)
  const entries = [...files.values()]
  const { archive, missing } = await registerArchive(actor, projectSlug, entries)
  if (missing.length === 0) return { archive, notSent }
  const projectId = await findProjectId(actor, projectSlug)
  const sender = { projectId, userId: actor.userId }
  await storeFrames(sender, missingContents(upload, files, new Set(missing)))
  const again = await registerArchive(actor, projectSlug, entries)
  if (again.missing.length === 0) return { archive, notSent }
  throw new GpuqError('unavailable', 'Some files were deleted during the upload. Send it again.')
}

interface Listed {
  /** Each entry by its path in the upload. */
  files: Map<string, Entry>
  /** A sentence about the empty directories of an archive, which are not sent; null if it has none. */
  notSent: string | null
}

/**
 * Reads the entries with the hashes of their contents.
 * @param named what the config names of an archive. Null: the archive comes with a program and stays as it is packed.
 * @throws 422, or 413 above a limit
 */
export async function listEntries(
  upload: DirectoryUpload,
  part: DirectoryPart,
  named: NamedFiles | null = null,
): Promise<Listed> {
  const limits = new EntryLimits(part, upload.bytes)
  const entries = new Map<string, Entry>()
  const directories: string[] = []
  for await (const entry of upload.entries()) {
    const { path } = entry
    limits.addEntry(path)
    if (entry.kind === 'directory') directories.push(path)
    else if (entry.kind === 'link') entries.set(path, { path, target: entry.target })
    else if (entry.kind === 'copy') entries.set(path, copyOf(entries, path, entry.of))
    else {
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
  const { files: placed, notSent } =
    part === 'archive' ? place(upload, entries, directories, named) : { files: entries, notSent: null }
  if (placed.size === 0) throw refuseArchive('has no files: add at least one')
  const listed = [...placed.values()]
  for (const { index, message } of findMistakes(listed))
    throw refuseEntry(part, listed[index]?.path ?? '', message)
  return { files: placed, notSent }
}

function place(
  upload: DirectoryUpload,
  entries: ReadonlyMap<string, Entry>,
  directories: readonly string[],
  named: NamedFiles | null,
): Listed {
  const name = named === null ? null : upload.archiveName
  const { places, emptyDirectories } = placeEntries(
    { paths: [...entries.keys()], directories },
    name,
    named ?? {},
  )
  const leftOut = new LeftOut()
  for (const path of emptyDirectories) leftOut.addEmptyDirectory(path)
  const files = new Map(
    [...places].flatMap(([path, at]) => {
      const entry = entries.get(path)
      return entry === undefined ? [] : [[path, { ...entry, path: at }] as const]
    }),
  )
  return { files, notSent: leftOut.describe() }
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
  files: ReadonlyMap<string, Entry>,
  missing: Set<string>,
): AsyncGenerator<Frame> {
  for await (const entry of upload.entries()) {
    const file = entry.kind === 'file' ? files.get(entry.path) : undefined
    if (entry.kind === 'file' && file && !isLink(file) && missing.delete(file.sha256))
      yield { sha256: file.sha256, bytes: file.bytes, content: entry.content() }
    if (missing.size === 0) return
  }
}
