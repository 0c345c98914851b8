import { createHash } from 'node:crypto'
import type { CompletedPart, S3 } from '@aws-sdk/client-s3'
import { inBucket, type Place } from './s3-faults'
import { StorageFault, type StoredObject } from './store'

/** S3 takes 10,000 parts: 156 GiB at most. What is smaller than one part goes up at once. */
const partBytes = 16 << 20
/** Parts on their way at once. With the one being filled, so many mebibytes are held: 16 × 3. */
const atOnce = 2

interface Target {
  client: S3
  place: Place
  /** The whole key, within the bucket. */
  key: string
  overwrite: boolean
}

/** Streams an object into a bucket. S3 shows it when it is whole; an upload in parts that fails is taken back. */
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
      await whenNew(target, (condition) =>
        target.client.putObject({ ...at(target), ...condition, Body: last }),
      )
  } catch (error) {
    await large?.abort()
    throw error
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** The same bytes in pieces of one size; the last is shorter, or empty where nothing came. */
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

/** Asks for a new key where the server knows how to; one that says it does not was asked for the key before anything was sent. */
async function whenNew<Value>(
  { place, overwrite }: Target,
  send: (condition: Condition) => Promise<Value>,
): Promise<Value> {
  if (overwrite) return inBucket(place, send({}))
  try {
    return await inBucket(place, send({ IfNoneMatch: '*' }))
  } catch (error) {
    const cause = error instanceof StorageFault ? error.cause : undefined
    if (!(cause instanceof Error) || cause.name !== 'NotImplemented') throw error
    return inBucket(place, send({}))
  }
}

/** An object that goes up in parts, a few of them at once. */
class LargeUpload {
  readonly #target: Target
  readonly #id: string
  readonly #sent: Promise<CompletedPart>[] = []

  private constructor(target: Target, id: string) {
    this.#target = target
    this.#id = id
  }

  static async begin(target: Target): Promise<LargeUpload> {
    const { UploadId } = await inBucket(target.place, target.client.createMultipartUpload(at(target)))
    if (UploadId === undefined)
      throw new StorageFault('storage_error', 'The bucket gave no id for an upload in parts.')
    return new LargeUpload(target, UploadId)
  }

  async add(part: Buffer): Promise<void> {
    const sent = this.#send(part, this.#sent.length + 1)
    // It is waited for below or at the end; until then a failure must not count as one that nobody sees.
    sent.catch(() => undefined)
    this.#sent.push(sent)
    await this.#sent.at(-atOnce - 1)
  }

  async #send(Body: Buffer, PartNumber: number): Promise<CompletedPart> {
    const { client, place } = this.#target
    const given = { ...at(this.#target), UploadId: this.#id, PartNumber, Body }
    const { ETag } = await inBucket(place, client.uploadPart(given))
    return { PartNumber, ...(ETag === undefined ? {} : { ETag }) }
  }

  async complete(): Promise<void> {
    const Parts = await Promise.all(this.#sent)
    const given = { ...at(this.#target), UploadId: this.#id, MultipartUpload: { Parts } }
    await whenNew(this.#target, (condition) =>
      this.#target.client.completeMultipartUpload({ ...given, ...condition }),
    )
  }

  /** What cannot be taken back now, as when the bucket is out of reach, is swept as a leftover. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#sent)
    await this.#target.client
      .abortMultipartUpload({ ...at(this.#target), UploadId: this.#id })
      .catch(() => undefined)
  }
}
