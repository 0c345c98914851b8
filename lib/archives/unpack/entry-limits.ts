import { parentsOf } from '../../contract/archives/archive-manifest'
import { env } from '../../env'
import { maxArchiveBytes } from '../register'
import { type DirectoryPart, entryTooLarge, refuseEntry } from './refuse-entry'

/** Up to this size the compression ratio does not matter: a small file of zeros is harmless. */
const unlimitedRatioBytes = 64 * 1024 * 1024

/** Counts what an upload unpacks to, and refuses names that another file system would take for one. */
export class EntryLimits {
  readonly #paths = new Set<string>()
  /** Every path and its parents, by their names in lower case. */
  readonly #folded = new Map<string, string>()
  #entries = 0
  #bytes = 0

  constructor(
    readonly part: DirectoryPart,
    /** The size of the upload. */
    readonly packedBytes: number,
  ) {}

  /** @throws 413 for too many entries, 422 for one that is too deep, or has the name of another. */
  addEntry(path: string, isDirectory: boolean): void {
    const { GPUQ_MAX_ARCHIVE_FILES: most, GPUQ_MAX_ARCHIVE_DEPTH: depth } = env()
    if (++this.#entries > most)
      throw entryTooLarge(this.part, path, `A directory may have ${most} entries at most.`)
    if (path.split('/').length > depth)
      throw refuseEntry(this.part, path, `is deeper than ${depth} names: move it up`)
    for (const name of [...parentsOf(path), path]) this.#requireOneSpelling(path, name)
    // Several archives list a directory more than once.
    if (isDirectory) return
    if (this.#paths.has(path)) throw refuseEntry(this.part, path, 'appears twice')
    this.#paths.add(path)
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

  #requireOneSpelling(path: string, name: string): void {
    const folded = name.normalize('NFC').toLowerCase()
    const known = this.#folded.get(folded)
    if (known === undefined) this.#folded.set(folded, name)
    else if (known !== name)
      throw refuseEntry(this.part, path, `differs only in case from "${known}": rename one of them`)
  }
}
