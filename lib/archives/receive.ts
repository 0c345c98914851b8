import { createHash } from 'node:crypto'
import type { Actor } from '../access/actor'
import { findProject } from '../access/projects/submission-project'
import {
  readProjectStorageQuota,
  type StorageQuota,
  storageQuotaExceeded,
} from '../access/storage/storage-quota'
import { countUpload } from '../access/storage/uploads-in-progress'
import { takeSlot } from '../async/concurrency-limit'
import { type Frame, readFrames } from '../contract/archives/archive-frames'
import { GpuqError, invalidField } from '../contract/errors'
import { database } from '../database/client'
import { acquireLockOf } from '../database/locks'
import { type Transaction, transaction } from '../database/transaction'
import { env } from '../env'
import { lowOnSpace, requireFreeSpace } from '../storage/free-space'
import { storage } from '../storage/storage'
import { type ObjectStore, StorageFault } from '../storage/store'
import { blobKey } from './blob-key'
import { type Holder, maxArchiveBytes } from './register'

/** Smaller contents are buffered in memory and written concurrently, because each write waits for the disk. */
const smallBytes = 256 * 1024
const concurrentWrites = 8
/** Uploads of one user at a time: what one connection cannot fill, a few can. */
const uploadsPerUser = 8
/** Number of contents that are inserted together. */
const rowsPerInsert = 500

interface Content {
  sha256: string
  bytes: number
}

interface WrittenContent extends Content {
  /** Ends its count as an upload in progress. */
  endCount: () => void
}

/**
 * Receives contents for the actor's directories in a project, and returns their number. Keeps every complete content if a later
 * one fails, so that the sender can resume. A content that another member has sent is received, checked and counted like a
 * new one.
 * @throws 404 if the project has no directory yet, 413 if they are too large, 403 over the storage quota, 507 on a full
 * disk, 422 if a content does not match its hash.
 */
export async function receiveBlobs(
  actor: Actor,
  projectSlug: string,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  await requireFreeSpace()
  const projectId = await findProjectId(actor, projectSlug)
  const release = takeUploadSlot(actor.userId)
  try {
    return await storeFrames({ projectId, userId: actor.userId }, readFrames(body))
  } finally {
    release()
  }
}

/** Finds the project of a directory. @throws 404 */
export async function findProjectId(actor: Actor, projectSlug: string): Promise<string> {
  const project = await findProject(database().pool, actor, projectSlug)
  if (project) return project.id
  throw new GpuqError(
    'not_found',
    `You have no project "${projectSlug}". Send the manifest of the directory first.`,
  )
}

/** Reserves one of the concurrent uploads of a user until the returned function is called. @throws 429 */
export function takeUploadSlot(userId: string): () => void {
  const release = takeSlot(`uploads of ${userId}`, uploadsPerUser)
  if (release) return release
  const message = `You already have ${uploadsPerUser} uploads in progress, which is the limit. Wait until one ends.`
  throw new GpuqError('rate_limited', message, { retryAfterS: 2 })
}

/** Stores contents that a user sent, and returns their number. Keeps every complete content if a later one fails. */
export async function storeFrames(sender: Holder, frames: AsyncIterable<Frame>): Promise<number> {
  const quota = await readProjectStorageQuota(database().pool, sender.projectId)
  const receiver = new Receiver(storage(), sender, quota)
  try {
    for await (const frame of frames) await receiver.take(frame)
    return await receiver.finish()
  } catch (error) {
    // A second error here would hide the first one.
    await receiver.finish().catch(() => {})
    throw error instanceof StorageFault && error.code === 'no_space' ? lowOnSpace(error) : error
  }
}

class Receiver {
  readonly #writing = new Set<Promise<void>>()
  #written: WrittenContent[] = []
  #failure: unknown
  #received = 0
  #remainingBytes: number

  constructor(
    readonly store: ObjectStore,
    readonly sender: Holder,
    private quota: StorageQuota,
  ) {
    this.#remainingBytes = quota.remainingBytes
  }

  async take({ sha256, bytes, content }: Frame): Promise<void> {
    if (bytes > maxArchiveBytes()) throw contentTooLarge()
    await requireFreeSpace()
    // Other uploads of the owner may have used the quota meanwhile.
    if (bytes > smallBytes) await this.#readQuota()
    if (bytes > this.#remainingBytes) throw storageQuotaExceeded(this.quota)
    this.#remainingBytes -= bytes
    const checked = check(content, sha256)
    if (bytes > smallBytes) await this.#write({ sha256, bytes }, checked)
    else {
      const whole = await collect(checked)
      while (this.#writing.size >= concurrentWrites) await Promise.race(this.#writing)
      const writing: Promise<void> = this.#write({ sha256, bytes }, whole)
        .catch((error: unknown) => {
          this.#failure ??= error
        })
        .finally(() => this.#writing.delete(writing))
      this.#writing.add(writing)
    }
    if (this.#failure) throw this.#failure
    if (this.#written.length < rowsPerInsert) return
    await this.#record()
    await this.#readQuota()
  }

  async #readQuota(): Promise<void> {
    this.quota = await readProjectStorageQuota(database().pool, this.sender.projectId)
    this.#remainingBytes = this.quota.remainingBytes
  }

  /** Waits for pending writes and records them. */
  async finish(): Promise<number> {
    await Promise.all(this.#writing)
    await this.#record()
    if (this.#failure) throw this.#failure
    return this.#received
  }

  /** Overwriting is safe because the name of a content is its hash. */
  async #write(blob: Content, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const endCount = countUpload(this.quota.owner, blob.bytes)
    try {
      const key = blobKey(this.sender.projectId, blob.sha256)
      await this.store.write(key, pieces(content), { overwrite: true })
    } catch (error) {
      endCount()
      throw error
    }
    this.#written.push({ ...blob, endCount })
  }

  async #record(): Promise<void> {
    const written = this.#written
    this.#written = []
    if (written.length === 0) return
    const lost = await this.#insert(written).finally(() => {
      for (const { endCount } of written) endCount()
    })
    if (lost)
      throw new GpuqError('unavailable', 'Some files were deleted during the upload. Send them again.')
  }

  /** Returns whether contents were deleted since they were written. */
  #insert(written: readonly Content[]): Promise<boolean> {
    return transaction(async (tx) => {
      const { projectId } = this.sender
      await acquireLockOf(tx, 'archiveContents', projectId, 'shared')
      // If the write replaced an old leftover, a sweeper that listed it before may have deleted it since.
      const there = await Promise.all(written.map(({ sha256 }) => this.store.has(blobKey(projectId, sha256))))
      const kept = written.filter((_, index) => there[index])
      await insertRows(tx, this.sender, kept)
      this.#received += kept.length
      return kept.length < written.length
    })
  }
}

function contentTooLarge(): GpuqError {
  return new GpuqError(
    'payload_too_large',
    `A file may have ${env().GPUQ_MAX_ARCHIVE_MIB} MiB at most. Leave out larger ones, or ask an admin to raise GPUQ_MAX_ARCHIVE_MIB.`,
  )
}

async function insertRows(
  tx: Transaction,
  { projectId, userId }: Holder,
  contents: readonly Content[],
): Promise<void> {
  await tx.query({
    name: 'insert-blobs',
    text: `INSERT INTO archive_blobs (project_id, hash, user_id, bytes)
           SELECT DISTINCT ON (hash) $1::uuid, decode(hash, 'hex'), $4::uuid, bytes
             FROM unnest($2::text[], $3::int8[]) AS sent (hash, bytes)
           ON CONFLICT (project_id, hash, user_id) DO UPDATE SET stored_at = now()`,
    values: [projectId, contents.map(({ sha256 }) => sha256), contents.map(({ bytes }) => bytes), userId],
  })
}

async function* pieces(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* content
}

async function collect(content: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const held: Uint8Array[] = []
  for await (const piece of content) held.push(piece)
  return held
}

/** Passes the content on, and throws at its end if it does not match its hash, so that nothing is stored. */
async function* check(content: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const piece of content) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') === sha256) return
  const message = `the content sent as ${sha256} has a different hash. The file may have changed during the upload; send it again`
  throw invalidField(sha256, message, message)
}
