import { readStorageQuota, type StorageQuota } from '@/lib/access/storage/storage-quota'
import type { StorageOwner } from '@/lib/access/storage/uploads-in-progress'
import { readArchive } from '@/lib/archives/read-archive'
import { workdirCapacity } from '@/lib/archives/workdir-capacity'
import { inParallel } from '@/lib/async/pool'
import { sleep } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { findStorageOwner } from '@/lib/cluster/tasks/task-progress'
import { type ClaimedTask, Fenced } from '@/lib/cluster/tasks/tasks'
import { database } from '@/lib/database/client'
import { logger } from '@/lib/logger'
import {
  readWorkingFiles,
  recordWorkingFiles,
  type StoredWorkingFile,
} from '@/lib/working-files/record-working-files'
import { limitFiles } from '../files/limit-files'
import { type Fingerprint, type FoundFile, type SkippedFile, safeWalk } from '../files/safe-walk'
import { retryWrite } from '../node/lease/retry-write'
import { chooseChanges, initialFiles, type KnownFile, markCopied } from './choose-changes'
import { readReturnRules } from './return-rules'
import { removeVersions, storeWorkingFile } from './store-working-file'

const everyMs = 1_000
/** The pause after a scan, relative to its duration, so that scanning many files does not keep the node busy. */
const scanPauseFactor = 2
/** How often it looks whether the uploaded files are complete. */
const copyPollMs = 100
const concurrentFiles = 4
/** Files whose versions are recorded in one transaction. */
const batchFiles = 64
const walkLimits = { maxEntries: Number.POSITIVE_INFINITY, maxLevels: 64 }
/** The times of files have a resolution of at most 10 ms: a younger file may change again without a new time. */
const settledMs = 50

interface WorkingFilesSource {
  lease: Lease
  task: ClaimedTask
  /** The path that the job sees. */
  path: string
  /** The directory on this host. */
  directory: string
  /** Whether the directory has all uploaded files. */
  isReady: () => Promise<boolean>
  /** The uploaded directory on this host. */
  uploaded: string
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
  /** Writes a message to the job's output. */
  note: (text: string) => void
}

/** What a scan needs, read once. */
interface Facts {
  owner: StorageOwner
  known: Map<string, KnownFile>
  returns: (path: string) => boolean
}

/**
 * Stores the files that a task changes in its working directory, while it runs and after its end. It only reads: the
 * program may change everything at the same time.
 */
export class WorkingFilesUploader {
  readonly #ended = new AbortController()
  #looping: Promise<void> = Promise.resolve()
  /** One large file is stored beside the scans, so that logs do not wait for it. */
  #large: Promise<void> | null = null
  #facts: Facts | undefined
  /** A time at which the uploaded files were not complete yet, in milliseconds since 1970; null: unknown. */
  #copyingAtMs: number | null = null
  #previous: ReadonlyMap<string, Fingerprint> = new Map()
  readonly #since = new Map<string, number>()
  readonly #noted = new Set<string>()

  constructor(readonly of: WorkingFilesSource) {}

  /** Starts the periodic scans. */
  start(): void {
    this.#looping = this.#loop()
  }

  async #loop(): Promise<void> {
    const { abandoned, task } = this.of
    const over = AbortSignal.any([this.#ended.signal, abandoned])
    while (!over.aborted) {
      const began = performance.now()
      let waitMs = everyMs
      try {
        const isReady = await this.#checkReady()
        const { walkMs } = isReady ? await this.#scan(false, over) : { walkMs: 0 }
        waitMs = isReady
          ? Math.max(everyMs - (performance.now() - began), walkMs * scanPauseFactor)
          : copyPollMs
      } catch (error) {
        if (error instanceof Fenced || over.aborted) return
        logger.warn({ err: error, task: task.id }, 'could not store files of a working directory, retrying')
        this.#noteOnce(`files of ${this.of.path} cannot be stored at the moment; retrying`)
      }
      await sleep(waitMs, over)
    }
  }

  /** Whether the uploaded files are complete. Before that, a part of a file would look changed. */
  async #checkReady(): Promise<boolean> {
    const now = Date.now()
    const isReady = await this.of.isReady()
    if (!isReady) this.#copyingAtMs = now - settledMs
    return isReady
  }

  /** Stops without a last scan. */
  close(): void {
    this.#ended.abort()
  }

  /**
   * Stores the remaining files after the program has ended.
   * @returns the files that were not stored.
   * @throws {Fenced}, the errors of the store, and the reason of `signal`.
   */
  async finish(signal: AbortSignal): Promise<SkippedFile[]> {
    this.#ended.abort()
    await this.#looping
    await this.#large
    return (await this.#checkReady()) ? (await this.#scan(true, signal)).skipped : []
  }

  /** @returns the files that were not stored, and how long it took to find the files. */
  async #scan(last: boolean, signal: AbortSignal): Promise<{ skipped: SkippedFile[]; walkMs: number }> {
    const { directory, path: place, task } = this.of
    const began = performance.now()
    const { files: all } = await safeWalk(directory, walkLimits)
    const walkMs = performance.now() - began
    const { known, returns } = await this.#know(all)
    const returning = all.filter(({ path }) => returns(path))
    const { found: files, skipped } = limitFiles(returning, workdirCapacity(task.memoryMib), place)
    const now = performance.now()
    const scan = { files, known, previous: this.#previous, since: this.#since, now, last }
    const { small, large, waiting, deleted } = chooseChanges(scan)
    this.#previous = new Map(files.map((file) => [file.path, file]))
    for (const path of waiting) if (!this.#since.has(path)) this.#since.set(path, now)
    if (deleted.length > 0) await this.#record([], deleted)
    for (let at = 0; at < small.length; at += batchFiles) {
      skipped.push(...(await this.#store(small.slice(at, at + batchFiles), signal)))
    }
    if (last) for (const file of large) skipped.push(...(await this.#store([file], signal)))
    else this.#storeLarge(large[0], signal)
    return { skipped, walkMs }
  }

  /** @param files what the first scan found. */
  async #know(files: readonly FoundFile[]): Promise<Facts> {
    if (this.#facts) return this.#facts
    this.#facts = await this.#readFacts()
    if (this.#copyingAtMs !== null) markCopied(this.#facts.known, files, this.#copyingAtMs)
    return this.#facts
  }

  #storeLarge(file: FoundFile | undefined, signal: AbortSignal): void {
    if (file === undefined || this.#large !== null) return
    this.#large = this.#store([file], signal)
      .then(() => undefined)
      .catch((error: unknown) => {
        if (signal.aborted || error instanceof Fenced) return
        logger.warn({ err: error, task: this.of.task.id }, 'could not store a large file, retrying')
      })
      .finally(() => {
        this.#large = null
        this.#since.set(file.path, performance.now())
      })
  }

  async #readFacts(): Promise<Facts> {
    const { task, uploaded, abandoned } = this.of
    const read = async () => {
      const archive = task.archiveId === null ? null : await readArchive(task.archiveId)
      const entries = archive?.manifest.entries ?? []
      const known = initialFiles(entries, await readWorkingFiles(task))
      return { entries, known, owner: await findStorageOwner(task) }
    }
    const { entries, known, owner } = await retryWrite(abandoned, 'working files', read)
    return { owner, known, returns: await readReturnRules(uploaded, entries) }
  }

  /** Stores files and records them together. Returns those that exceed the quota. */
  async #store(files: readonly FoundFile[], signal: AbortSignal): Promise<SkippedFile[]> {
    if (files.length === 0 || this.#facts === undefined) return []
    const { known } = this.#facts
    const admit = this.#openQuota(this.#facts)
    const stored: StoredWorkingFile[] = []
    const read: FoundFile[] = []
    const skipped: SkippedFile[] = []
    const store = async (file: FoundFile) => {
      const result = await storeWorkingFile(file, known.get(file.path), { ...this.of, admit, signal })
      if (result === 'over_quota') {
        skipped.push({ path: file.path, why: 'it exceeds the storage quota; delete files in the settings' })
      } else if (result !== 'unsteady') {
        read.push(file)
        if (result !== 'unchanged') stored.push(result)
      }
    }
    await inParallel(files, concurrentFiles, store, signal)
    if (stored.length > 0) await this.#record(stored, [])
    for (const file of read) {
      const entry = known.get(file.path)
      const isSettled = file.ctimeNs < BigInt(Date.now() - settledMs) * 1_000_000n
      if (entry) entry.as = isSettled ? file : null
    }
    if (skipped.length > 0)
      this.#noteOnce(`files of ${this.of.path} exceed the storage quota and are not kept`)
    return skipped
  }

  async #record(stored: readonly StoredWorkingFile[], deleted: readonly string[]): Promise<void> {
    const { lease, task, abandoned } = this.of
    const known = this.#facts?.known
    const replaced = await retryWrite(abandoned, 'working files', () =>
      recordWorkingFiles(lease, task, { stored, deleted }),
    )
    for (const { path, sha256, executable, bytes } of stored) {
      known?.set(path, { sha256, executable, as: null, storedBytes: bytes })
    }
    for (const path of deleted) known?.delete(path)
    await removeVersions(task, replaced)
  }

  /**
   * Returns whether a file fits into the storage quota, and counts it. Asks for each batch, because other jobs of the user
   * store files too. A new version replaces the bytes of the previous one.
   */
  #openQuota({ owner, known }: Facts): (file: FoundFile) => Promise<boolean> {
    let reading: Promise<StorageQuota> | undefined
    let grownBytes = 0
    return async ({ path, dataBytes }) => {
      reading ??= retryWrite(this.of.abandoned, 'quota', () => readStorageQuota(database().pool, owner))
      const { remainingBytes } = await reading
      const growth = dataBytes - (known.get(path)?.storedBytes ?? 0)
      if (grownBytes + growth > remainingBytes) return false
      grownBytes += Math.max(0, growth)
      return true
    }
  }

  #noteOnce(text: string): void {
    if (this.#noted.has(text)) return
    this.#noted.add(text)
    this.of.note(text)
  }
}
