import { uuidv7 } from 'uuidv7'
import { readStorageQuota, type StorageQuota } from '@/lib/access/storage/storage-quota'
import { recordArtifact, recordedPaths } from '@/lib/artifacts/record-artifacts'
import { inParallel } from '@/lib/async/pool'
import { retry } from '@/lib/async/retry'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { findStorageOwner } from '@/lib/cluster/tasks/task-progress'
import { type ClaimedTask, Fenced } from '@/lib/cluster/tasks/tasks'
import type { EndReason } from '@/lib/contract/reasons'
import { database } from '@/lib/database/client'
import { logger, traceStep } from '@/lib/logger'
import { artifactKey } from '@/lib/results/name'
import { storage } from '@/lib/storage/storage'
import { StorageFault } from '@/lib/storage/store'
import { describeMissing } from '../files/describe-missing'
import { type FoundFile, openInside, type SkippedFile } from '../files/safe-walk'
import { retryWrite } from '../node/lease/retry-write'
import type { NodeContext } from '../node/node-context'
import type { ExitedTask } from '../node/task/task-hook'
import { findArtifactsDirectory } from './artifacts-directory'
import { findArtifacts } from './find-artifacts'

/** Maximum time to store a task's files before its result is written. */
const timeoutMs = 10 * 60_000
/** Shorter for a cancelled job, whose owner waits, and for a failed task, whose peers must stop. */
const shortTimeoutMs = 10_000
/** A store that accepts nothing for this long counts as down. */
const downMs = 60_000
const concurrentFiles = 8
/** Another attempt will write the files again. */
export const retryReasons: ReadonlySet<EndReason> = new Set([
  'preempted',
  'slurm_requeued',
  'slurm_stopped',
  'worker_stopped',
  'engine_restarted',
  'node_lost',
  'internal_error',
])

interface ArtifactsSource {
  lease: Lease
  task: ClaimedTask
  /** The directory of /results on this host. */
  directory: string
  limitBytes: number
  /** Finds the paths of the files that are kept; null: all are. */
  findKept: FindKept
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
}

export type FindKept = (task: ClaimedTask) => Promise<ReadonlySet<string> | null>

/**
 * Stores the files that a task wrote to /results, after its container has ended. Safe to repeat: recorded files are
 * not stored again.
 * @returns a sentence for the job about files that were not kept; null if all were.
 * @throws {Fenced}
 */
export async function uploadArtifacts(results: ArtifactsSource, reason: EndReason): Promise<string | null> {
  if (retryReasons.has(reason)) return null
  try {
    const { found: all, skipped } = await findArtifacts(results.directory, results.limitBytes)
    const kept = await retryWrite(results.abandoned, 'artifacts', () => results.findKept(results.task))
    const found = kept === null ? all : all.filter(({ path }) => kept.has(path))
    if (found.length === 0) return describeMissing(skipped, '/results')
    const isShort = reason.startsWith('cancelled') || (results.task.instances > 1 && reason !== 'finished')
    const waitMs = isShort ? shortTimeoutMs : timeoutMs
    const uploader = new ArtifactUploader(results, performance.now() + waitMs)
    return describeMissing([...skipped, ...(await uploader.uploadAll(found))], '/results')
  } catch (error) {
    if (error instanceof Fenced) throw error
    if (results.abandoned.aborted) throw new Fenced(results.task.id)
    logger.error({ err: error, task: results.task.id }, 'could not store the files of a task')
    return 'The files in /results were not kept: the node could not read them. See the log of its worker.'
  }
}

/** Stores the task's /results. Returns a sentence about files that were not kept; null if all were. @throws {Fenced} */
export async function storeArtifacts(
  { lease, tasksDirectory }: NodeContext,
  limitBytes: number,
  findKept: FindKept,
  { task, outcome, abandoned }: ExitedTask,
): Promise<string | null> {
  const directory = await findArtifactsDirectory(tasksDirectory, task.id)
  const missing =
    directory === null
      ? null
      : await uploadArtifacts({ lease, task, directory, limitBytes, findKept, abandoned }, outcome.reason)
  traceStep('files stored', task.jobId)
  return missing
}

/** Stores files of one task. */
export class ArtifactUploader {
  /** When the store began to refuse; null after a success. */
  #refusingSince: number | null = null
  /** Bytes of files that are being stored, and do not count in the database yet. */
  #storingBytes = 0

  constructor(
    readonly results: Omit<ArtifactsSource, 'findKept'>,
    readonly deadline: number,
  ) {}

  async uploadAll(found: FoundFile[]): Promise<SkippedFile[]> {
    const { task, abandoned } = this.results
    const recorded = await retryWrite(abandoned, 'artifacts', () => recordedPaths(task))
    const owner = await retryWrite(abandoned, 'artifacts', () => findStorageOwner(task))
    const unrecorded = found.filter(({ path }) => !recorded.has(path))
    const skipped: SkippedFile[] = []
    const upload = async (file: FoundFile) => {
      const why = await this.#uploadWithinQuota(file, () => readStorageQuota(database().pool, owner))
      if (why !== null) skipped.push({ path: file.path, why })
    }
    await inParallel(unrecorded, concurrentFiles, upload, abandoned)
    return skipped
  }

  /** Returns why the file was not stored; null if it was. Asks each time, because other jobs of the user store files too. */
  async #uploadWithinQuota(file: FoundFile, readQuota: () => Promise<StorageQuota>): Promise<string | null> {
    const quota = await retryWrite(this.results.abandoned, 'artifacts', readQuota)
    if (file.dataBytes > quota.remainingBytes - this.#storingBytes) {
      return 'it exceeds the storage quota; delete files in the settings'
    }
    this.#storingBytes += file.dataBytes
    try {
      return (await this.#upload(file)) ? null : 'the storage did not accept it in time'
    } finally {
      this.#storingBytes -= file.dataBytes
    }
  }

  get #isOver(): boolean {
    const now = performance.now()
    return now > this.deadline || (this.#refusingSince !== null && now > this.#refusingSince + downMs)
  }

  /** Returns false if the store did not accept the file. */
  async #upload(file: FoundFile): Promise<boolean> {
    const { lease, task, abandoned } = this.results
    const id = uuidv7()
    const key = artifactKey(task, id)
    const store = async () => {
      if (abandoned.aborted) throw new Fenced(task.id)
      if (this.#isOver) return false
      const stored = await storage().write(key, this.#read(file))
      this.#refusingSince = null
      await retryWrite(abandoned, 'artifact', () =>
        recordArtifact(lease, task, { id, path: file.path, ...stored }),
      )
      return true
    }
    const onFailure = async (error: unknown) => {
      if (!(error instanceof StorageFault)) throw error
      this.#refusingSince ??= performance.now()
      logger.warn({ err: error, task: task.id }, 'could not store a file of /results, retrying')
      await storage()
        .remove(key)
        .catch(() => undefined)
    }
    try {
      return await retry(store, { firstMs: 500, longestMs: 5_000, signal: abandoned, onFailure })
    } catch (error) {
      if (error instanceof StoreTimeout) return false
      throw error
    }
  }

  async *#read(file: FoundFile): AsyncGenerator<Buffer> {
    const handle = await openInside(this.results.directory, file.path)
    if (handle === null) throw new Error('A file of /results disappeared.')
    try {
      for await (const part of handle.createReadStream({
        end: Math.max(0, file.bytes - 1),
        autoClose: false,
      })) {
        if (performance.now() > this.deadline) throw new StoreTimeout()
        yield part
      }
    } finally {
      await handle.close()
    }
  }
}

class StoreTimeout extends Error {}
