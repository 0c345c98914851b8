import { env } from '../../env'
import { maxArchiveBytes } from '../register'
import { type DirectoryPart, entryTooLarge, refuseEntry } from './refuse-entry'

/** Up to this size the compression ratio does not matter: a small file of zeros is harmless. */
const unlimitedRatioBytes = 64 * 1024 * 1024

/** Counts what an upload unpacks to. */
export class EntryLimits {
  #entries = 0
  #bytes = 0

  constructor(
    readonly part: DirectoryPart,
    /** The size of the upload. */
    readonly packedBytes: number,
  ) {}

  /** @throws 413 for too many entries, 422 for one that is too deep. */
  addEntry(path: string): void {
    const { GPUQ_MAX_ARCHIVE_FILES: most, GPUQ_MAX_ARCHIVE_DEPTH: depth } = env()
    if (++this.#entries > most)
      throw entryTooLarge(this.part, path, `A directory may have ${most} entries at most.`)
    if (path.split('/').length > depth)
      throw refuseEntry(this.part, path, `is deeper than ${depth} names: move it up`)
  }

  /** @throws 413 if the files are too large, or much larger than the upload. */
  addBytes(path: string, bytes: number): void {
    this.#bytes += bytes
    const { GPUQ_MAX_ARCHIVE_MIB: mib, GPUQ_MAX_ARCHIVE_RATIO: ratio } = env()
    if (this.#bytes > maxArchiveBytes())
      throw entryTooLarge(this.part, path, `The files of a directory may have ${mib} MiB at most.`)
    if (this.#bytes > unlimitedRatioBytes && this.#bytes > ratio * this.packedBytes)
      throw entryTooLarge(
        this.part,
        path,
        `The files of an archive may be ${ratio} times larger than the archive at most.`,
      )
  }
}
