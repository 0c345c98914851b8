import { logger } from '@/lib/logger'
import { freeBytesOf } from '@/lib/storage/free-space'
import type { CacheDirectory } from './cache-directory'

export interface RoomLimits {
  /** Maximum bytes of the cache; null: half of the space that would be free without it. */
  limitBytes: number | null
  /** Bytes of the disk that the cache leaves free. */
  minFreeBytes: number
}

/** The disk has no space for a directory, although all unused directories were removed. */
export class NoRoom extends Error {
  constructor(readonly freeBytes: number) {
    super('The disk has no space for the directory.')
    this.name = 'NoRoom'
  }
}

/** Which directories must stay. */
interface DirectoryUses {
  /** Whether a task needs it. */
  isHeld(hash: string): boolean
  /** Returns those that containers mount, also containers of an earlier worker. */
  readMounted(): Promise<ReadonlySet<string>>
}

/** Space of the disk for a directory that is being unpacked. */
export interface Reservation {
  /** Counts bytes that were written; negative if they will be written again. */
  add(bytes: number): void
  end(): void
}

/** Decides whether a directory fits on the disk, and removes the least recently used ones that no job uses. */
export class CacheRoom {
  readonly #unpacking = new Set<{ bytes: number; left: number }>()
  readonly #removing = new Map<string, Promise<void>>()
  /** One decision at a time; otherwise two directories would get the same space. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(
    readonly directory: CacheDirectory,
    readonly limits: RoomLimits,
    readonly uses: DirectoryUses,
  ) {}

  /** Resolves when a directory is not being removed. From then on it stays, if a task needs it. */
  async untilStable(hash: string): Promise<void> {
    await this.#removing.get(hash)
  }

  /**
   * Reserves space for a directory. Directories in use together may exceed the limit; then they leave only the minimum of
   * free space.
   * @throws {NoRoom}
   */
  reserve(bytes: number): Promise<Reservation> {
    return this.#oneAtATime(async () => {
      await this.#evict(bytes)
      const free = await this.#freeBytes()
      if (free - bytes < this.limits.minFreeBytes) throw new NoRoom(free)
      const unpacking = { bytes, left: bytes }
      this.#unpacking.add(unpacking)
      return {
        add: (written) => {
          unpacking.left -= written
        },
        end: () => {
          this.#unpacking.delete(unpacking)
        },
      }
    })
  }

  /** Removes unused directories until the cache is within its limits. */
  trim(): Promise<void> {
    return this.#oneAtATime(() => this.#evict(0))
  }

  async #evict(needed: number): Promise<void> {
    const entries = await this.directory.list()
    let kept = entries.reduce((sum, { bytes }) => sum + bytes, 0)
    const limit = this.limits.limitBytes ?? ((await this.#freeBytes()) + kept) / 2
    const unpacking = [...this.#unpacking].reduce((sum, { bytes }) => sum + bytes, 0)
    let mounted: ReadonlySet<string> | undefined
    for (const { hash, bytes } of entries) {
      const fits = kept + unpacking + needed <= limit
      if (fits && (await this.#freeBytes()) - needed >= this.limits.minFreeBytes) return
      mounted ??= await this.uses.readMounted()
      if (mounted.has(hash) || this.uses.isHeld(hash)) continue
      await this.#remove(hash)
      kept -= bytes
      logger.info({ hash, bytes }, 'removed an unused snapshot from the cache')
    }
  }

  async #remove(hash: string): Promise<void> {
    const removing = this.directory.remove(hash)
    this.#removing.set(
      hash,
      removing.catch(() => {}),
    )
    await removing.finally(() => this.#removing.delete(hash))
  }

  /** Free space of the disk that nothing has reserved. */
  async #freeBytes(): Promise<number> {
    const free = await freeBytesOf(this.directory.root)
    const left = [...this.#unpacking].reduce((sum, unpacking) => sum + Math.max(0, unpacking.left), 0)
    return Math.max(0, free - left)
  }

  #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }
}
