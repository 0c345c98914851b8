import { createHash } from 'node:crypto'
import type { CompletedPart, S3 } from '@aws-sdk/client-s3'
import { type BucketLocation, withBucketFaults } from './s3-faults'
import { StorageFault, type StoredObject } from './store'

/** S3 allows 10,000 parts, so an object has at most 156 GiB. An object smaller than one part is uploaded at once. */
const partBytes = 16 << 20
/** Concurrent part uploads. Together with the part being filled, this uses 3 × 16 MiB of memory. */
const concurrentParts = 2

interface Target {
  client: S3
  place: BucketLocation
  /** The full key within the bucket. */
  key: string
  overwrite: boolean
}

/** Streams an object into a bucket. S3 shows it only when it is complete; a failed multipart upload is aborted. */
export async function upload(target: Target, parts: AsyncIterable<Uint8Array>): Promise<StoredObject> {
  const hash = createHash('sha256')
  let bytes = 0
  let large: LargeUpload | undefined
  let last = Buffer.alloc(0)
  try {
    for await (const { part, isLast } of inParts(parts)) {
      hash.update(part)
      bytes += part.length
      last = part
      if (isLast && !large) break
      large ??= await LargeUpload.begin(target)
      await large.add(part)
    }
    if (large) await large.complete()
    else
      await requireNewKey(target, (condition) =>
        target.client.putObject({ ...at(target), ...condition, Body: last }),
      )
  } catch (error) {
    await large?.abort()
    throw error
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Splits a stream into pieces of one size; the last is shorter, or empty for an empty stream. */
async function* inParts(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ part: Buffer<ArrayBuffer>; isLast: boolean }> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const piece of source) {
    for (let start = 0; start < piece.length; ) {
      if (heldBytes === partBytes) {
        yield { part: Buffer.concat(held), isLast: false }
        held = []
        heldBytes = 0
      }
      const taken = piece.subarray(start, start + partBytes - heldBytes)
      held.push(taken)
      heldBytes += taken.length
      start += taken.length
    }
  }
  yield { part: Buffer.concat(held), isLast: true }
}

function at({ place, key }: Target): { Bucket: string; Key: string } {
  return { Bucket: place.bucket, Key: key }
}

type Condition = { IfNoneMatch?: string }

/**
 * Makes the upload conditional on a new key, if the server supports that. For other servers the caller has checked
 * the key before.
 */
async function requireNewKey<Value>(
  { place, overwrite }: Target,
  send: (condition: Condition) => Promise<Value>,
): Promise<Value> {
  if (overwrite) return withBucketFaults(place, send({}))
  try {
    return await withBucketFaults(place, send({ IfNoneMatch: '*' }))
  } catch (error) {
    const cause = error instanceof StorageFault ? error.cause : undefined
    if (!(cause instanceof Error) || cause.name !== 'NotImplemented') throw error
    return withBucketFaults(place, send({}))
  }
}

/** A multipart upload with a few concurrent parts. */
class LargeUpload {
  readonly #target: Target
  readonly #id: string
  readonly #sent: Promise<CompletedPart>[] = []

  private constructor(target: Target, id: string) {
    this.#target = target
    this.#id = id
  }

  static async begin(target: Target): Promise<LargeUpload> {
    const { UploadId } = await withBucketFaults(target.place, target.client.createMultipartUpload(at(target)))
    if (UploadId === undefined)
      throw new StorageFault(
        'storage_error',
        'The bucket returned no id for a multipart upload. Check that the server supports multipart uploads.',
      )
    return new LargeUpload(target, UploadId)
  }

  async add(part: Buffer): Promise<void> {
    const sent = this.#send(part, this.#sent.length + 1)
    // The promise is awaited later; this prevents an unhandled rejection until then.
    sent.catch(() => undefined)
    this.#sent.push(sent)
    await this.#sent.at(-concurrentParts - 1)
  }

  async #send(Body: Buffer, PartNumber: number): Promise<CompletedPart> {
    const { client, place } = this.#target
    const given = { ...at(this.#target), UploadId: this.#id, PartNumber, Body }
    const { ETag } = await withBucketFaults(place, client.uploadPart(given))
    return { PartNumber, ...(ETag === undefined ? {} : { ETag }) }
  }

  async complete(): Promise<void> {
    const Parts = await Promise.all(this.#sent)
    const given = { ...at(this.#target), UploadId: this.#id, MultipartUpload: { Parts } }
    await requireNewKey(this.#target, (condition) =>
      this.#target.client.completeMultipartUpload({ ...given, ...condition }),
    )
  }

  /** If the abort fails, for example because the bucket is unreachable, the sweep removes the upload later. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#sent)
    await this.#target.client
      .abortMultipartUpload({ ...at(this.#target), UploadId: this.#id })
      .catch(() => undefined)
  }
}
