import { backoff, retry } from '@/lib/async/retry'
import { sleep } from '@/lib/async/sleep'
import { type Run, readCheckpoints, recordBatch } from '@/lib/cluster/checkpoints/checkpoint-files'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, Fenced } from '@/lib/cluster/tasks/tasks'
import type { EndReason } from '@/lib/contract/reasons'
import { logger } from '@/lib/logger'
import { retryWrite } from '../node/lease/retry-write'
import { CheckpointNotes, describeCause, describeMissing, TooMuch } from './checkpoint-notes'
import { chooseBatch, type KnownFile, knownAtFirst } from './choose-batch'
import { fileSystemNs, type LocalCheckpoints, restoredNs } from './local-checkpoints'
import { type FoundFile, safeWalk, TooManyFiles } from './safe-walk'
import { removeObjects, storeFiles } from './upload-batch'

const everyMs = 500
/** A look at very many files takes long: it is not to be all that the disk does. */
const restsTimesLook = 5
/** What is not stored within that time comes with the next round. */
const roundMs = 30_000
/** The times of files go on in steps, of 10 ms at most. */
const distanceNs = 50_000_000n
const mostRetryMs = 15_000
/** Entries of a directory, of all kinds. */
const mostEntries = 100_000
/** Two rounds may lie between a file that takes another's place and its going. */
const storedTimesLimit = 2

/** At the end: how long in all, also for a cancelled job, whose end somebody waits for; and for a store that takes nothing. */
const patience = { lastMs: 10 * 60_000, lastCancelledMs: 60_000, downMs: 60_000 }

interface KeptCheckpoints {
  lease: Lease
  task: ClaimedTask
  run: Run
  local: LocalCheckpoints
  /** What the run may take. */
  limitBytes: number
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
  /** Says something in the job's output. */
  note: (text: string) => void
  onOver: () => void
}

/**
 * Carries a task's checkpoints into the bucket, in rounds: while the program runs, each look at its directory stores what
 * has changed, then changes the record in one step. What the store does not take is tried again; the program goes on.
 */
export class CheckpointUploader {
  readonly #closing = new AbortController()
  readonly #givenUp = new AbortController()
  #looping: Promise<void> = Promise.resolve()
  #known: Map<string, KnownFile> | undefined
  #absent: ReadonlySet<string> = new Set()
  #lastFailure = 'the store did not take them in time'
  readonly #notes: CheckpointNotes
  /** By `performance.now()`: all that was written until then is stored. */
  #storedUntil = performance.now()
  #progressAt = performance.now()

  /** Aborted when nothing more is to be stored. */
  readonly #unwanted: AbortSignal

  constructor(
    readonly kept: KeptCheckpoints,
    readonly waits = patience,
  ) {
    this.#notes = new CheckpointNotes(kept.note)
    this.#unwanted = AbortSignal.any([kept.abandoned, this.#givenUp.signal])
  }

  /** Begins the rounds. */
  start(): void {
    this.#looping = this.#loop()
  }

  /** Ends them without a last one. */
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
        const lookMs = await this.#round(false)
        waitMs = Math.max(everyMs, lookMs * restsTimesLook)
        failures = 0
        this.#notes.tellSuccess()
      } catch (error) {
        if (error instanceof Fenced || over.aborted) return
        if (error instanceof TooManyFiles || error instanceof TooMuch) this.#sayOver()
        logger.warn({ err: error, task: this.kept.task.id }, 'checkpoints were not stored, trying again')
        this.#notes.tellFailure(error)
        waitMs = backoff(++failures, everyMs, mostRetryMs)
      }
      // From beginning to beginning, where there is time.
      await sleep(Math.max(waitMs / 2, waitMs - (performance.now() - began)), over)
    }
  }

  /**
   * Stores what is left, once the program has ended, for as long as the store takes something.
   * @returns a sentence about what was not stored, for the job; null when all is.
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
      // Also where the store holds a request for ever.
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

  /** Why not all could be stored; null: it was. */
  async #storeLast(): Promise<string | null> {
    await this.#looping
    const store = async () => {
      try {
        await this.#round(true)
        return null
      } catch (error) {
        if (error instanceof TooManyFiles || error instanceof TooMuch) return describeCause(error)
        throw error
      }
    }
    const onFailure = (error: unknown) => {
      this.#requireOurs(error)
      this.#lastFailure = describeCause(error)
      logger.warn(
        { err: error, task: this.kept.task.id },
        'the last checkpoints were not stored, trying again',
      )
    }
    return retry(store, { firstMs: 500, longestMs: 5_000, signal: this.#unwanted, onFailure })
  }

  #requireOurs(error: unknown): void {
    if (error instanceof Fenced) throw error
    if (this.kept.abandoned.aborted) throw new Fenced(this.kept.task.id)
  }

  /**
   * One look at the directory, and all that it takes to have what is there in the record, or a beginning of it.
   * @param last nobody writes any more: all of it.
   * @returns how long the look took, in milliseconds.
   */
  async #round(last: boolean): Promise<number> {
    const { local, limitBytes, task } = this.kept
    for (;;) {
      const began = performance.now()
      if (this.#unwanted.aborted) throw new Fenced(task.id)
      const steadyBefore = last ? null : (await fileSystemNs(local)) - distanceNs
      const { files, passedOver } = await safeWalk(local.files, mostEntries)
      const lookMs = performance.now() - began
      this.#notes.tellPassedOver(passedOver)
      // Files with holes take no room here, and all of it where they are stored.
      if (files.reduce((sum, { bytes }) => sum + bytes, 0) > limitBytes) throw new TooMuch()
      const known = await this.#know(files)
      const choice = chooseBatch(files, known, { steadyBefore, absentBefore: this.#absent })
      this.#absent = choice.absent
      const isWhole = await this.#store(choice.take, choice.gone, known)
      if (isWhole && choice.complete) this.#storedUntil = began
      if (isWhole || !last) return lookMs
      await sleep(100, this.#unwanted)
    }
  }

  async #know(files: FoundFile[]): Promise<Map<string, KnownFile>> {
    const { task, run, local, abandoned } = this.kept
    if (this.#known) return this.#known
    const recorded = await retryWrite(abandoned, 'checkpoints', () => readCheckpoints(task, run))
    this.#known = knownAtFirst(files, recorded, await restoredNs(local))
    return this.#known
  }

  /** False when not all of it is stored yet. What is stored is in the record then. */
  async #store(
    take: FoundFile[],
    allGone: { path: string; object: string }[],
    known: Map<string, KnownFile>,
  ): Promise<boolean> {
    const { lease, task, run, local, abandoned, limitBytes } = this.kept
    if (take.length === 0 && allGone.length === 0) return true
    const { stored, failure, unwanted } = await storeFiles(take, {
      directory: local.files,
      run,
      until: performance.now() + roundMs,
      signal: this.#unwanted,
      onProgress: () => {
        this.#progressAt = performance.now()
      },
    })
    const isWhole = stored.length === take.length
    const gone = isWhole ? allGone : []
    if (stored.length > 0 || gone.length > 0) {
      if (this.#unwanted.aborted) throw new Fenced(task.id)
      const round = { stored: stored.map(({ as }) => as), gone }
      const { unnamed, bytes } = await retryWrite(abandoned, 'checkpoints', () =>
        recordBatch(lease, task, run, round),
      )
      for (const { file, as } of stored) known.set(file.path, { object: as.object, as: file })
      for (const { path } of gone) known.delete(path)
      this.#progressAt = performance.now()
      if (bytes > limitBytes * storedTimesLimit) this.#sayOver()
      unwanted.push(...unnamed)
    }
    await removeObjects(run, unwanted)
    if (failure !== undefined) throw failure
    return isWhole
  }

  /** Once the program has ended there is nothing to stop. */
  #sayOver(): void {
    if (!this.#closing.signal.aborted) this.kept.onOver()
  }
}
