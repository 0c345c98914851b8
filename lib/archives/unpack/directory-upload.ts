import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { env } from '../../env'
import { lowOnSpace } from '../../storage/free-space'
import { takeUploadSlot } from '../receive'
import { maxArchiveBytes } from '../register'
import { entryPath, type IncomingEntry } from './incoming-entry'
import { readTar } from './read-tar'
import { readZip } from './read-zip'
import { type DirectoryPart, entryTooLarge, refuseArchive, refuseEntry } from './refuse-entry'
import { type Segment, SpoolFile } from './spool-file'

/** The files of a job as they arrive in an upload: one archive, or several files with their paths. */
export class DirectoryUpload {
  #spool: SpoolFile | null = null
  #release: (() => void) | null = null
  #archive: Segment | null = null
  readonly #files: { path: string; segment: Segment }[] = []
  #bytes = 0

  constructor(readonly userId: string) {}

  /** Which part has the files; null if none came. */
  get part(): DirectoryPart | null {
    if (this.#archive !== null) return 'archive'
    return this.#files.length > 0 ? 'files' : null
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
    if (this.#archive !== null || (part === 'archive' && this.#files.length > 0))
      throw refuseEntry(part, name, 'comes in addition to an archive: send one archive, or several files')
    const path = part === 'files' ? entryPath(part, name) : name
    if (path === null) throw refuseEntry(part, name, 'is no path of a file')
    if (this.#files.length >= env().GPUQ_MAX_ARCHIVE_FILES)
      throw entryTooLarge(part, name, `The upload may have ${env().GPUQ_MAX_ARCHIVE_FILES} files at most.`)
    try {
      const spool = await this.#open()
      const segment = await spool.append(content, (bytes) => this.#accept(part, name, bytes))
      if (part === 'archive') this.#archive = segment
      else this.#files.push({ path, segment })
    } catch (error) {
      const isFull =
        error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code))
      throw isFull ? lowOnSpace(error) : error
    }
  }

  /** Reads the entries from the beginning; may be called again. */
  async *entries(): AsyncGenerator<IncomingEntry> {
    const spool = this.#spool
    if (spool === null) return
    for (const { path, segment } of this.#files)
      yield { kind: 'file', path, executable: false, content: () => spool.read(segment) }
    if (this.#archive !== null) yield* readArchiveFile(spool, this.#archive)
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

/** Names may be wrong, so the first bytes decide. */
async function* readArchiveFile(spool: SpoolFile, archive: Segment): AsyncGenerator<IncomingEntry> {
  const head = await spool.head(archive, 512)
  if (head.subarray(0, 2).toString('latin1') === 'PK') yield* readZip(spool.handle.fd)
  else if (head[0] === 0x1f && head[1] === 0x8b) yield* readTar(gunzip(spool, archive))
  else if (head.subarray(257, 262).toString('latin1') === 'ustar') yield* readTar(spool.read(archive))
  else throw refuseArchive('is no zip and no tar file: send a .zip, .tar, .tar.gz or .tgz')
}

async function* gunzip(spool: SpoolFile, archive: Segment): AsyncGenerator<Uint8Array> {
  const unzipped = createGunzip({ chunkSize: 64 * 1024 })
  // An error of the file reaches the reader through the second stream.
  pipeline(Readable.from(spool.read(archive)), unzipped, () => {})
  yield* unzipped as AsyncIterable<Buffer>
}
