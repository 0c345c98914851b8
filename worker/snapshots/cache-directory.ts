import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode } from '@/lib/contract/error-code'
import { makePrivateDirectory } from '@/lib/env/private-directory'
import { listDirectory } from '../files/list-directory'
import { syncPath } from '../files/unpack-archive'
import type { DirectoryState } from './directory-state'
import { DirectoryWatch } from './directory-watch'

/** What the cache knows about an unpacked directory. */
const recordSchema = z.object({
  version: z.literal(2),
  fingerprint: z.string(),
  bytes: z.number(),
  directories: z.array(z.string()),
  /** The boot of the machine in which its content was last read or written. */
  bootId: z.string(),
})
type CacheRecord = z.infer<typeof recordSchema>

/** An unpacked directory in the cache. */
export interface CacheEntry {
  hash: string
  bytes: number
  usedAt: Date
}

const recordName = 'record.json'
const hashPattern = /^[0-9a-f]{64}$/

/**
 * The files of a node's cache. A directory that is unpacked appears in `ready/HASH` only when it is complete and on the
 * disk. Everything in `partial` may be deleted when no worker runs.
 */
export class CacheDirectory {
  /** The watches of unpacked directories, by hash. */
  readonly #watches = new Map<string, DirectoryWatch>()

  constructor(readonly root: string) {}

  /** The directory that jobs see. */
  filesOf(hash: string): string {
    return join(this.#placeOf(hash), 'files')
  }

  /** Creates the cache, and removes directories whose unpacking was interrupted. */
  async open(): Promise<void> {
    await makePrivateDirectory(this.root)
    for (const name of ['ready', 'partial', 'withdrawn'])
      await mkdir(join(this.root, name), { recursive: true, mode: 0o711 })
    for (const name of await listDirectory(join(this.root, 'partial')))
      await removeTree(join(this.root, 'partial', name))
  }

  /** Returns a new directory in which a directory can be unpacked in `files`. */
  async createPartial(): Promise<string> {
    const partial = join(this.root, 'partial', randomUUID())
    await mkdir(partial, { mode: 0o711 })
    return partial
  }

  /** Makes a complete partial directory visible, unless the same directory became visible meanwhile. */
  async publish(partial: string, hash: string, state: DirectoryState): Promise<void> {
    await writeRecord(partial, state)
    await syncPath(partial)
    await rename(partial, this.#placeOf(hash)).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
    })
    await syncPath(join(this.root, 'ready'))
  }

  /** Returns the record of a directory; null if it is not in the cache, or its record is damaged. */
  async readRecord(hash: string): Promise<CacheRecord | null> {
    const text = await readFile(join(this.#placeOf(hash), recordName), 'utf8').catch((error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null
      throw error
    })
    if (text === null) return null
    try {
      return recordSchema.parse(JSON.parse(text))
    } catch {
      return null
    }
  }

  /** Records that the content was verified now. */
  async recordVerified(hash: string, state: DirectoryState): Promise<void> {
    await writeRecord(this.#placeOf(hash), state)
  }

  /**
   * Begins to watch for changes. A directory that the system cannot watch counts as changed.
   * @param directories all directories below it, with itself.
   */
  watch(hash: string, directories: readonly string[]): void {
    this.#stopWatching(hash)
    const opened = DirectoryWatch.open(this.filesOf(hash), directories)
    if (opened) this.#watches.set(hash, opened)
  }

  /** Whether it is watched, and nothing has changed since then. */
  async isUnchanged(hash: string): Promise<boolean> {
    return (await this.#watches.get(hash)?.isUnchanged()) ?? false
  }

  /** Records that a job uses it. */
  async touch(hash: string): Promise<void> {
    const now = new Date()
    await utimes(join(this.#placeOf(hash), recordName), now, now)
  }

  /** The directories in the cache, least recently used first. */
  async list(): Promise<CacheEntry[]> {
    const entries: CacheEntry[] = []
    for (const hash of await listDirectory(join(this.root, 'ready'))) {
      if (!hashPattern.test(hash)) continue
      const record = await this.readRecord(hash)
      const stats = await stat(join(this.#placeOf(hash), recordName)).catch(() => null)
      entries.push({ hash, bytes: record?.bytes ?? 0, usedAt: stats?.mtime ?? new Date(0) })
    }
    return entries.toSorted((a, b) => a.usedAt.getTime() - b.usedAt.getTime())
  }

  /**
   * Takes a directory out of the cache, so that it can be unpacked again. Its files stay until
   * {@link removeWithdrawn}, because a container may mount them.
   */
  async withdraw(hash: string): Promise<void> {
    this.#stopWatching(hash)
    await rename(this.#placeOf(hash), join(this.root, 'withdrawn', `${hash}.${randomUUID()}`)).catch(
      (error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error
      },
    )
  }

  /** Removes the directories that were withdrawn, except those that a container mounts. */
  async removeWithdrawn(readMounted: () => Promise<ReadonlySet<string>>): Promise<void> {
    const names = await listDirectory(join(this.root, 'withdrawn'))
    if (names.length === 0) return
    const mounted = await readMounted()
    for (const name of names)
      if (!mounted.has(name.slice(0, name.indexOf('.')))) await removeTree(join(this.root, 'withdrawn', name))
  }

  /** Removes a directory that nothing uses. It disappears from the cache at once. */
  async remove(hash: string): Promise<void> {
    this.#stopWatching(hash)
    const partial = join(this.root, 'partial', randomUUID())
    await rename(this.#placeOf(hash), partial)
    await removeTree(partial)
  }

  #stopWatching(hash: string): void {
    this.#watches.get(hash)?.close()
    this.#watches.delete(hash)
  }

  #placeOf(hash: string): string {
    return join(this.root, 'ready', hash)
  }
}

/** Removes a directory and everything in it. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** A reader never sees a partial record. */
async function writeRecord(directory: string, state: DirectoryState): Promise<void> {
  const record: CacheRecord = { version: 2, ...state, bootId: await currentBoot() }
  const part = join(directory, `${recordName}.part`)
  const file = await open(part, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(record))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, join(directory, recordName))
}

/** The kernel's id of the current boot of this machine. */
export async function currentBoot(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}
