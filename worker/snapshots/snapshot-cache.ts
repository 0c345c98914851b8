import { join } from 'node:path'
import { ZodError } from 'zod'
import { archiveHash } from '@/lib/archives/archive-hash'
import { readArchive } from '@/lib/archives/read-archive'
import { directoryBytes } from '@/lib/archives/workdir-capacity'
import { isLink, type Manifest } from '@/lib/contract/archives/archive-manifest'
import { errorCode } from '@/lib/contract/error-code'
import { formatBytes } from '@/lib/contract/format-bytes'
import { logger } from '@/lib/logger'
import { isDiskFull } from '../files/fetch-object'
import { TransferProgress } from '../files/transfer-progress'
import { unpackArchive } from '../files/unpack-archive'
import { retryWrite } from '../node/lease/retry-write'
import { TaskFault } from '../node/task/task-fault'
import { CacheDirectory, currentBoot, removeTree } from './cache-directory'
import { CacheRoom, NoRoom, type RoomLimits } from './cache-room'
import { type DirectoryState, hasContent, readState } from './directory-state'
import { SharedWork, type Waiting } from './shared-work'

/** A snapshot that a job mounts. */
export interface MountedSnapshot {
  /** For people: `data/cifar10@1`. */
  name: string
  /** The archive; null if it was deleted although the job exists. */
  archiveId: string | null
  /** The archive's hash, in hexadecimal. */
  hash: string
}

export interface SnapshotCacheOptions extends RoomLimits {
  /** The directory of the cache. Only one worker may use it. */
  directory: string
  /** The name of the node, for errors. */
  node: string
  /** Returns the hashes of the archives that containers of this machine mount. */
  readMounted: () => Promise<ReadonlySet<string>>
}

/**
 * The unpacked snapshots of a machine. Each is transferred once, verified, and then shared by all jobs that mount it.
 * A directory whose files were changed is unpacked again.
 */
export class SnapshotCache {
  readonly #directory: CacheDirectory
  readonly #room: CacheRoom
  /** What each task of this worker needs, from before its container exists until after it is gone. */
  readonly #held = new Map<string, Set<string>>()
  readonly #openings = new SharedWork()

  constructor(readonly options: SnapshotCacheOptions) {
    this.#directory = new CacheDirectory(options.directory)
    const { readMounted } = options
    const isHeld = (hash: string) => [...this.#held.values()].some((hashes) => hashes.has(hash))
    this.#room = new CacheRoom(this.#directory, options, { isHeld, readMounted })
  }

  /** Creates the cache, and removes what an interrupted worker left. */
  async open(): Promise<void> {
    await this.#directory.open()
    await this.#tidy()
  }

  /**
   * Returns the directory of a snapshot, complete and unchanged. Unpacks it if it is missing. It stays until
   * {@link release}, and then for as long as a container mounts it.
   * @throws {TaskFault} if it cannot be read or does not fit on the disk, and the reason of `signal`.
   */
  async acquire(taskId: string, snapshot: MountedSnapshot, waiting: Waiting): Promise<string> {
    const { hash, name } = snapshot
    this.#held.set(taskId, (this.#held.get(taskId) ?? new Set()).add(hash))
    const note = (text: string) => waiting.note(`snapshot ${name}: ${text}`)
    await this.#openings.run(hash, (shared) => this.#open(snapshot, shared), { ...waiting, note })
    return this.#directory.filesOf(hash)
  }

  /** The container of a task is gone. */
  async release(taskId: string): Promise<void> {
    const hashes = this.#held.get(taskId)
    if (!hashes) return
    this.#held.delete(taskId)
    for (const hash of hashes) {
      // Its directory may never have become complete.
      await this.#directory.touch(hash).catch(() => undefined)
    }
    await this.#tidy()
  }

  async #open(snapshot: MountedSnapshot, shared: Waiting): Promise<void> {
    try {
      await this.#room.untilStable(snapshot.hash)
      if (!(await this.#isIntact(snapshot, shared))) await this.#unpack(snapshot, shared)
      await this.#directory.touch(snapshot.hash)
    } catch (error) {
      shared.signal.throwIfAborted()
      throw this.#toFault(error, snapshot)
    }
  }

  /**
   * Whether the directory is in the cache and nothing has changed it. Its files are read if something about them
   * has changed, and once after each start of the machine, because a power failure may have damaged the disk. From its
   * first use by this worker, the system reports changes, so that the next uses need not look at every file.
   */
  async #isIntact(snapshot: MountedSnapshot, { note, signal }: Waiting): Promise<boolean> {
    const { hash, name } = snapshot
    if (await this.#directory.isUnchanged(hash)) return true
    const record = await this.#directory.readRecord(hash)
    // A change while the state is read is reported, too.
    if (record) this.#directory.watch(hash, record.directories)
    const state = record && (await this.#readState(hash))
    if (state?.fingerprint === record?.fingerprint && record?.bootId === (await currentBoot())) return true
    if (state) {
      const { manifest } = await this.#readArchive(snapshot, signal)
      const progress = progressOf('checking', manifest, note)
      const onBytes = (bytes: number) => progress.add(bytes)
      if (await hasContent(this.#directory.filesOf(hash), manifest, signal, onBytes)) {
        // Read before the files: a change since then is found the next time.
        await this.#directory.recordVerified(hash, state)
        return true
      }
      logger.error(
        { hash, snapshot: name },
        'the files of a snapshot were changed in the cache; unpacking again',
      )
    }
    await this.#directory.withdraw(hash)
    await this.#tidy()
    return false
  }

  async #readState(hash: string): Promise<DirectoryState | null> {
    try {
      return await readState(this.#directory.filesOf(hash))
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null
      throw error
    }
  }

  async #unpack(snapshot: MountedSnapshot, { note, signal }: Waiting): Promise<void> {
    const archive = await this.#readArchive(snapshot, signal)
    const reservation = await this.#room.reserve(directoryBytes(archive))
    const partial = await this.#directory.createPartial()
    try {
      const files = join(partial, 'files')
      const shown = progressOf('unpacking', archive.manifest, note)
      const add = (bytes: number) => {
        shown.add(bytes)
        reservation.add(bytes)
      }
      const progress = { add, endFile: () => shown.endFile() }
      await unpackArchive(files, archive, { signal, permanent: true, progress })
      const state = await readState(files)
      signal.throwIfAborted()
      await this.#directory.publish(partial, snapshot.hash, state)
      shown.end()
    } finally {
      // It was moved if it is complete.
      await removeTree(partial)
      reservation.end()
    }
  }

  async #readArchive({ archiveId, hash, name }: MountedSnapshot, signal: AbortSignal) {
    const invalid = (error: unknown) => {
      if (error instanceof ZodError) return 'invalid' as const
      throw error
    }
    const archive =
      archiveId === null
        ? null
        : await retryWrite(signal, 'snapshot', () => readArchive(archiveId)).catch(invalid)
    if (archive === null) throw unavailable(`The snapshot ${name} was deleted.`)
    if (archive === 'invalid' || archiveHash(archive.manifest) !== hash)
      throw unavailable(`The list of files of the snapshot ${name} is damaged. Upload it again.`)
    return archive
  }

  #toFault(error: unknown, { name }: MountedSnapshot): Error {
    if (error instanceof TaskFault) return error
    logger.error({ err: error, snapshot: name }, 'could not unpack a snapshot')
    const { directory, node, minFreeBytes } = this.options
    const advice = `Free some space there, or set a smaller GPUQ_SNAPSHOT_CACHE_GIB.`
    if (isDiskFull(error))
      return unavailable(`The disk of ${node} with ${directory} is full: ${name} does not fit. ${advice}`)
    if (error instanceof NoRoom)
      return unavailable(
        `The disk of ${node} with ${directory} has ${formatBytes(error.freeBytes)} free, and ${formatBytes(minFreeBytes)} must stay free: ${name} does not fit. ${advice}`,
      )
    return unavailable(`The snapshot ${name} could not be read from the store on ${node}. Check the storage.`)
  }

  /** Removes what is not needed. A failure leaves it for the next time. */
  async #tidy(): Promise<void> {
    try {
      await this.#directory.removeWithdrawn(this.options.readMounted)
      await this.#room.trim()
    } catch (error) {
      logger.warn({ err: error }, 'could not remove unused snapshots from the cache')
    }
  }
}

function progressOf(doing: string, { entries }: Manifest, note: (text: string) => void): TransferProgress {
  return new TransferProgress(
    doing,
    entries.flatMap((entry) => (isLink(entry) ? [] : [entry])),
    note,
  )
}

const unavailable = (message: string) => new TaskFault('snapshot_unavailable', message)
