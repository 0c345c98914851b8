import { backoff } from '@/lib/async/backoff'
import { retry } from '@/lib/async/retry'
import { sleep } from '@/lib/async/sleep'
import { readCheckpoints, recordBatch } from '@/lib/checkpoints/checkpoint-files'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, Fenced, type Run } from '@/lib/cluster/tasks/tasks'
import type { EndReason } from '@/lib/contract/reasons'
import { logger } from '@/lib/logger'
import { type FoundFile, safeWalk, TooManyFiles } from '../files/safe-walk'
import { retryWrite } from '../node/lease/retry-write'
import {
  CheckpointNotes,
  CheckpointsOverQuota,
  CheckpointsTooLarge,
  describeCause,
  describeMissing,
} from './checkpoint-notes'
import { chooseBatch, initialFiles, type KnownFile } from './choose-batch'
import { fileSystemNs, type LocalCheckpoints, restoredNs } from './local-checkpoints'
import { exceedsQuota, removeObjects, storeFiles } from './upload-batch'

const everyMs = 500
/** The pause after a scan, relative to its duration, so that scanning many files does not keep the disk busy. */
const scanPauseFactor = 5
/** Files that are not stored within this time follow in the next batch. */
const batchMs = 30_000
/** Resolution of file times: at most 10 ms. */
const distanceNs = 50_000_000n
const mostRetryMs = 15_000
const walkLimits = { maxEntries: 100_000, maxLevels: 64 }
/** Restored times: two batches may lie between a new file and the deletion of the one it replaced. */
const storedTimesLimit = 2

/**
 * Maximum times at the end: in total; for a cancelled job, whose end somebody waits for; and for a store that
 * accepts nothing.
 */
const timeouts = { lastMs: 10 * 60_000, lastCancelledMs: 60_000, downMs: 60_000 }

/** At the end, another try would not help. */
const finalErrors = [TooManyFiles, CheckpointsTooLarge, CheckpointsOverQuota]

/** The checkpoints of a running task that a worker stores in the bucket. */
interface KeptCheckpoints {
  lease: Lease
  task: ClaimedTask
  run: Run
  local: LocalCheckpoints
  /** Maximum bytes of the run's checkpoints. */
  limitBytes: number
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
  /** Writes a message to the job's output. */
  note: (text: string) => void
  onOver: () => void
}

/**
 * Uploads a task's checkpoints to the bucket in batches. While the program runs, each scan of its directory stores
 * the changed files, then updates the record in one transaction. Retries failures; the program continues.
 */
export class CheckpointUploader {
  readonly #closing = new AbortController()
  readonly #givenUp = new AbortController()
  #looping: Promise<void> = Promise.resolve()
  #known: Map<string, KnownFile> | undefined
  #absent: ReadonlySet<string> = new Set()
  #lastFailure = 'the store did not accept them in time'
  readonly #notes: CheckpointNotes
  /** By `performance.now()`: everything written before this time is stored. */
  #storedUntil = performance.now()
  #progressAt = performance.now()

  /** Aborted when nothing more should be stored. */
  readonly #stopped: AbortSignal

  constructor(
    readonly kept: KeptCheckpoints,
    readonly waits = timeouts,
  ) {
    this.#notes = new CheckpointNotes(kept.note)
    this.#stopped = AbortSignal.any([kept.abandoned, this.#givenUp.signal])
  }

  /** Starts the periodic batches. */
  start(): void {
    this.#looping = this.#loop()
  }

  /** Stops without a final batch. */
  close(): void {
    this.#closing.abort()
    this.#givenUp.abort()
  }

  async #loop(): Promise<void> {
    const over = AbortSignal.any([this.#closing.signal, this.kept.abandoned])
    let failures = 0
    while (!over.aborted) {
      const began = performance.now()
      let waitMs = everyMs
      try {
        const lookMs = await this.#uploadOnce(false)
        waitMs = Math.max(everyMs, lookMs * scanPauseFactor)
        failures = 0
        this.#notes.tellSuccess()
      } catch (error) {
        if (error instanceof Fenced || over.aborted) return
        if (error instanceof TooManyFiles || error instanceof CheckpointsTooLarge) this.#reportTooLarge()
        logger.warn({ err: error, task: this.kept.task.id }, 'could not store checkpoints, retrying')
        this.#notes.tellFailure(error)
        waitMs = backoff(++failures, everyMs, mostRetryMs)
      }
      // Keeps the interval between starts if there is time.
      await sleep(Math.max(waitMs / 2, waitMs - (performance.now() - began)), over)
    }
  }

  /**
   * Stores the remaining files after the program has ended, as long as the store accepts data.
   * @returns a sentence for the job about files that were not stored; null if all were.
   * @throws {Fenced}
   */
  async finish(reason: EndReason): Promise<string | null> {
    this.#closing.abort()
    this.#progressAt = performance.now()
    const { lastMs, lastCancelledMs, downMs } = this.waits
    const overAt = performance.now() + (reason.startsWith('cancelled') ? lastCancelledMs : lastMs)
    const ended = new AbortController()
    const storing = this.#storeLast().finally(() => ended.abort())
    storing.catch(() => undefined)
    while (!ended.signal.aborted) {
      const leftMs = Math.min(overAt, this.#progressAt + downMs) - performance.now()
      // Also ends if the store never responds to a request.
      if (leftMs <= 0) {
        this.#givenUp.abort()
        break
      }
      await sleep(leftMs, ended.signal)
    }
    const failure = ended.signal.aborted ? await storing : this.#lastFailure
    if (failure === null) return null
    const missing = describeMissing(performance.now() - this.#storedUntil, failure)
    logger.error({ task: this.kept.task.id }, missing)
    return missing
  }

  /** Returns why not everything could be stored; null on success. */
  async #storeLast(): Promise<string | null> {
    await this.#looping
    const store = async () => {
      try {
        await this.#uploadOnce(true)
        return null
      } catch (error) {
        if (finalErrors.some((type) => error instanceof type)) return describeCause(error)
        throw error
      }
    }
    const onFailure = (error: unknown) => {
      this.#requireOurs(error)
      this.#lastFailure = describeCause(error)
      logger.warn({ err: error, task: this.kept.task.id }, 'could not store the last checkpoints, retrying')
    }
    return retry(store, { firstMs: 500, longestMs: 5_000, signal: this.#stopped, onFailure })
  }

  #requireOurs(error: unknown): void {
    if (error instanceof Fenced) throw error
    if (this.kept.abandoned.aborted) throw new Fenced(this.kept.task.id)
  }

  /**
   * Scans the directory once and stores what it found, or a consistent part of it.
   * @param last nobody writes any more, so everything is stored.
   * @returns the duration of the scan in milliseconds.
   */
  async #uploadOnce(last: boolean): Promise<number> {
    const { local, limitBytes, task } = this.kept
    for (;;) {
      const began = performance.now()
      if (this.#stopped.aborted) throw new Fenced(task.id)
      const steadyBefore = last ? null : (await fileSystemNs(local)) - distanceNs
      const { files, skipped } = await safeWalk(local.files, walkLimits)
      const lookMs = performance.now() - began
      this.#notes.reportSkipped(skipped)
      // Sparse files need no space here, but their full size in the store.
      if (files.reduce((sum, { bytes }) => sum + bytes, 0) > limitBytes) throw new CheckpointsTooLarge()
      const known = await this.#know(files)
      const choice = chooseBatch(files, known, { steadyBefore, absentBefore: this.#absent })
      this.#absent = choice.absent
      const isWhole = await this.#store(choice.take, choice.gone, known)
      if (isWhole && choice.complete) this.#storedUntil = began
      if (isWhole || !last) return lookMs
      await sleep(100, this.#stopped)
    }
  }

  async #know(files: FoundFile[]): Promise<Map<string, KnownFile>> {
    const { task, run, local, abandoned } = this.kept
    if (this.#known) return this.#known
    const recorded = await retryWrite(abandoned, 'checkpoints', () => readCheckpoints(task, run))
    this.#known = initialFiles(files, recorded, await restoredNs(local))
    return this.#known
  }

  /** Stores and records files. Returns false if some are not stored yet. */
  async #store(
    take: FoundFile[],
    allGone: { path: string; object: string }[],
    known: Map<string, KnownFile>,
  ): Promise<boolean> {
    const { lease, task, run, local, abandoned, limitBytes } = this.kept
    if (take.length === 0 && allGone.length === 0) return true
    const isOver = () => exceedsQuota(run, take, allGone, known)
    // Nothing is removed either, so the stored checkpoints stay complete.
    if (await retryWrite(abandoned, 'checkpoints', isOver)) throw new CheckpointsOverQuota()
    const { stored, failure, unrecorded } = await storeFiles(take, {
      directory: local.files,
      run,
      until: performance.now() + batchMs,
      signal: this.#stopped,
      onProgress: () => {
        this.#progressAt = performance.now()
      },
    })
    const isWhole = stored.length === take.length
    const gone = isWhole ? allGone : []
    if (stored.length > 0 || gone.length > 0) {
      if (this.#stopped.aborted) throw new Fenced(task.id)
      const round = { stored: stored.map(({ as }) => as), gone }
      const { unreferenced, bytes } = await retryWrite(abandoned, 'checkpoints', () =>
        recordBatch(lease, task, run, round),
      )
      for (const { file, as } of stored) known.set(file.path, { object: as.object, as: file })
      for (const { path } of gone) known.delete(path)
      this.#progressAt = performance.now()
      if (bytes > limitBytes * storedTimesLimit) this.#reportTooLarge()
      unrecorded.push(...unreferenced)
    }
    await removeObjects(run, unrecorded)
    if (failure !== undefined) throw failure
    return isWhole
  }

  /** After the end of the program there is nothing to stop. */
  #reportTooLarge(): void {
    if (!this.#closing.signal.aborted) this.kept.onOver()
  }
}
