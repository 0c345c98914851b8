import { createHash } from 'node:crypto'
import type { Actor } from '../access/actor'
import { findProject } from '../access/projects/submission-project'
import { takeSlot } from '../async/concurrency-limit'
import { type Frame, readFrames } from '../contract/archive-frames'
import { GpuqError } from '../contract/errors'
import { database } from '../database/client'
import { acquireLockOf } from '../database/locks'
import { type Transaction, transaction } from '../database/transaction'
import { storage } from '../storage/storage'
import { type ObjectStore, StorageFault } from '../storage/store'
import { blobKey } from './blob-key'
import { maxArchiveBytes } from './register'
import { quotaExceeded, remainingQuota } from './storage-quota'

/** Contents up to this size are held in memory, so that several are written at once: each waits for its disk. */
const smallBytes = 256 * 1024
const atOnce = 8
/** Uploads of one user at a time: what one connection cannot fill, a few can. */
const uploadsPerUser = 8
/** So many become rows together. */
const rowsAtOnce = 500

interface Content {
  sha256: string
  bytes: number
}

/**
 * Receives contents for a project's directories, and returns how many. What came whole stays, whatever happens to the
 * rest: the sender goes on from there.
 * @throws 404 for a project that has no directory yet, 413 for too much, 422 for content that is not what it says.
 */
export async function receiveBlobs(
  actor: Actor,
  projectSlug: string,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const project = await findProject(database().pool, actor.userId, projectSlug)
  if (!project)
    throw new GpuqError(
      'not_found',
      `You have no project "${projectSlug}". Send the list of the directory first.`,
    )
  const receiver = new Receiver(storage(), project.id, await remainingQuota(database().pool, project.id))
  const release = takeSlot(`uploads of ${actor.userId}`, uploadsPerUser)
  if (!release) throw tooManyUploads()
  try {
    for await (const frame of readFrames(body)) await receiver.take(frame)
    return await receiver.finish()
  } catch (error) {
    // Its own failure would hide the first one.
    await receiver.finish().catch(() => {})
    throw error instanceof StorageFault && error.code === 'no_space' ? full(error) : error
  } finally {
    release()
  }
}

function tooManyUploads(): GpuqError {
  const message = `You have ${uploadsPerUser} uploads under way, which is the most.`
  return new GpuqError('rate_limited', message, { headers: { 'retry-after': '2' } })
}

function full(cause: StorageFault): GpuqError {
  return new GpuqError('unavailable', 'The server has no room left for files. Tell an admin.', { cause })
}

class Receiver {
  readonly #writing = new Set<Promise<void>>()
  #written: Content[] = []
  #failure: unknown
  #received = 0

  constructor(
    readonly store: ObjectStore,
    readonly projectId: string,
    public room: number,
  ) {}

  async take({ sha256, bytes, content }: Frame): Promise<void> {
    if (bytes > maxArchiveBytes() || bytes > this.room) throw quotaExceeded()
    this.room -= bytes
    const checked = check(content, sha256)
    if (bytes > smallBytes) await this.#write({ sha256, bytes }, checked)
    else {
      const whole = await collect(checked)
      while (this.#writing.size >= atOnce) await Promise.race(this.#writing)
      const writing: Promise<void> = this.#write({ sha256, bytes }, whole)
        .catch((error: unknown) => {
          this.#failure ??= error
        })
        .finally(() => this.#writing.delete(writing))
      this.#writing.add(writing)
    }
    if (this.#failure) throw this.#failure
    if (this.#written.length >= rowsAtOnce) await this.#record()
  }

  /** Waits for what is being written, and makes it known. */
  async finish(): Promise<number> {
    await Promise.all(this.#writing)
    await this.#record()
    if (this.#failure) throw this.#failure
    return this.#received
  }

  /** Overwriting writes the same: a content's name is its hash. */
  async #write(blob: Content, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await this.store.write(blobKey(this.projectId, blob.sha256), pieces(content), { overwrite: true })
    this.#written.push(blob)
  }

  async #record(): Promise<void> {
    const written = this.#written
    this.#written = []
    if (written.length === 0) return
    const lost = await transaction(async (tx) => {
      await acquireLockOf(tx, 'archiveContents', this.projectId, 'shared')
      // Where an old leftover was written over, one who listed it before may have removed it since.
      const there = await Promise.all(
        written.map(({ sha256 }) => this.store.has(blobKey(this.projectId, sha256))),
      )
      const kept = written.filter((_, index) => there[index])
      await insertRows(tx, this.projectId, kept)
      this.#received += kept.length
      return kept.length < written.length
    })
    if (lost) throw new GpuqError('unavailable', 'Some files have to be sent again.')
  }
}

async function insertRows(tx: Transaction, projectId: string, contents: readonly Content[]): Promise<void> {
  await tx.query({
    name: 'insert-blobs',
    text: `INSERT INTO archive_blobs (project_id, hash, bytes)
           SELECT DISTINCT ON (hash) $1::uuid, decode(hash, 'hex'), bytes
             FROM unnest($2::text[], $3::int8[]) AS sent (hash, bytes)
           ON CONFLICT (project_id, hash) DO UPDATE SET stored_at = now()`,
    values: [projectId, contents.map(({ sha256 }) => sha256), contents.map(({ bytes }) => bytes)],
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

/** Passes the content on, and fails before its end where it is not what it was said to be: then nothing is stored. */
async function* check(content: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const piece of content) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') === sha256) return
  const message = `the content sent as ${sha256} is another one: the file may have changed meanwhile`
  throw new GpuqError('invalid_fields', message, { errors: [{ path: sha256, message }] })
}
