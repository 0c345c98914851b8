import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { pathOfEntryName, refusePath } from '../../contract/archives/archive-paths'
import { archiveHeadBytes, detectArchive } from '../../contract/archives/unpack/archive-format'
import { checkEntries } from '../../contract/archives/unpack/check-entries'
import type { PackedEntry, UnpackedEntry } from '../../contract/archives/unpack/packed-entry'
import { readTar } from '../../contract/archives/unpack/read-tar'
import { env } from '../../env'
import { lowOnSpace } from '../../storage/free-space'
import { takeUploadSlot } from '../receive'
import { maxArchiveBytes } from '../register'
import { readZip } from './read-zip'
import { type DirectoryPart, describeDamage, entryTooLarge, refuseArchive, refuseEntry } from './refuse-entry'
import { type Segment, SpoolFile } from './spool-file'

/** The files of a job as they arrive in an upload: one archive, or several files with their paths. */
export class DirectoryUpload {
  #spool: SpoolFile | null = null
  #release: (() => void) | null = null
  #archive: (Segment & { name: string }) | null = null
  readonly #files = new Map<string, Segment>()
  #bytes = 0

  constructor(readonly userId: string) {}

  /** Which part has the files; null if none came. */
  get part(): DirectoryPart | null {
    if (this.#archive !== null) return 'archive'
    return this.#files.size > 0 ? 'files' : null
  }

  /** What arrived. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Writes a part to the disk as it arrives.
   * @throws 413 if the parts are too large, 422 for a second archive or a path that is not possible, 429 for too many uploads
   * at a time, 507 on a full disk.
   */
  async add(part: DirectoryPart, name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#archive !== null || (part === 'archive' && this.#files.size > 0))
      throw refuseEntry(part, name, 'comes in addition to an archive: send one archive, or several files')
    const path = part === 'files' ? pathOfFile(name) : name
    if (this.#files.has(path)) throw refuseEntry(part, name, 'appears twice')
    if (this.#files.size >= env().GPUQ_MAX_ARCHIVE_FILES)
      throw entryTooLarge(part, name, `The upload may have ${env().GPUQ_MAX_ARCHIVE_FILES} files at most.`)
    try {
      const spool = await this.#open()
      const segment = await spool.append(content, (bytes) => this.#accept(part, name, bytes))
      if (part === 'archive') this.#archive = { ...segment, name }
      else this.#files.set(path, segment)
    } catch (error) {
      const isFull =
        error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code))
      throw isFull ? lowOnSpace(error) : error
    }
  }

  /** The file name of the archive; null if single files came. */
  get archiveName(): string | null {
    return this.#archive?.name ?? null
  }

  /** Reads the entries from the beginning; may be called again. @throws 422 that names an entry which cannot be in a directory. */
  async *entries(): AsyncGenerator<UnpackedEntry> {
    const spool = this.#spool
    if (spool === null) return
    for (const [path, segment] of this.#files)
      yield {
        kind: 'file',
        path,
        executable: false,
        bytes: segment.bytes,
        content: () => spool.read(segment),
      }
    if (this.#archive === null) return
    let name: string | null = null
    try {
      for await (const entry of checkEntries(readArchiveFile(spool, this.#archive))) {
        name = entry.path
        yield withErrors(entry)
      }
    } catch (error) {
      throw describeDamage(error, name)
    }
  }

  async close(): Promise<void> {
    this.#release?.()
    await this.#spool?.close()
  }

  async #open(): Promise<SpoolFile> {
    this.#release ??= takeUploadSlot(this.userId)
    this.#spool ??= await SpoolFile.create(join(env().GPUQ_DATA_DIR, 'uploads'))
    return this.#spool
  }

  #accept(part: DirectoryPart, name: string, bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= maxArchiveBytes()) return
    const limit = `The files of an upload may have ${env().GPUQ_MAX_ARCHIVE_MIB} MiB at most.`
    throw entryTooLarge(part, name, limit)
  }
}

/** @throws 422 for a path that is not possible. */
function pathOfFile(name: string): string {
  const path = pathOfEntryName(name)
  const why = path === null ? 'is no path of a file' : refusePath(path)
  if (path === null || why !== null) throw refuseEntry('files', name, why ?? '')
  return path
}

async function* readArchiveFile(spool: SpoolFile, archive: Segment): AsyncGenerator<PackedEntry> {
  const detected = detectArchive(await spool.head(archive, archiveHeadBytes))
  if ('why' in detected) throw refuseArchive(detected.why)
  if (detected.format === 'zip') yield* readZip(spool.handle.fd)
  else if (detected.format === 'tar') yield* readTar(spool.read(archive))
  else yield* readTar(gunzip(spool, archive))
}

/** Whoever reads a content gets the errors of the archive in the words of an answer. */
function withErrors(entry: UnpackedEntry): UnpackedEntry {
  if (entry.kind !== 'file') return entry
  const { path, content } = entry
  return {
    ...entry,
    async *content() {
      try {
        yield* content()
      } catch (error) {
        throw describeDamage(error, path)
      }
    },
  }
}

async function* gunzip(spool: SpoolFile, archive: Segment): AsyncGenerator<Uint8Array> {
  const unzipped = createGunzip({ chunkSize: 64 * 1024 })
  // An error of the file reaches the reader through the second stream.
  pipeline(Readable.from(spool.read(archive)), unzipped, () => {})
  yield* unzipped as AsyncIterable<Buffer>
}
