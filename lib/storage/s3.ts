import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { GetObjectCommandOutput, S3 } from '@aws-sdk/client-s3'
import { type BucketAddress, connectS3 } from './s3-client'
import { type BucketLocation, withBucketFaults } from './s3-faults'
import { upload } from './s3-upload'
import {
  type ByteRange,
  checkKey,
  checkPrefix,
  type ListedObject,
  type ObjectStore,
  type OpenedObject,
  StorageFault,
  type StoredObject,
} from './store'

/** A bucket, or a prefix within it. */
export interface BucketOptions extends BucketAddress {
  /** Prepended to every key, ends with a slash; empty: the whole bucket. */
  prefix: string
}

/** Stores objects in a bucket. An object becomes visible when it is complete; reads are streamed. */
export function s3Store(options: BucketOptions): ObjectStore {
  return new S3Store(options)
}

class S3Store implements ObjectStore {
  readonly #options: BucketOptions
  readonly #place: BucketLocation
  #connecting: Promise<S3> | undefined

  constructor(options: BucketOptions) {
    this.#options = options
    this.#place = { bucket: options.bucket, ...(options.endpoint ? { endpoint: options.endpoint } : {}) }
  }

  #client(): Promise<S3> {
    this.#connecting ??= connectS3(this.#options)
    return this.#connecting
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#options.bucket, Key: this.#options.prefix + checkKey(key) }
  }

  async #call<Value>(call: (client: S3) => Promise<Value>): Promise<Value> {
    const client = await this.#client()
    return withBucketFaults(this.#place, call(client))
  }

  async write(
    key: string,
    parts: AsyncIterable<Uint8Array>,
    { overwrite = false }: { overwrite?: boolean } = {},
  ): Promise<StoredObject> {
    const { Key } = this.#at(key)
    // For servers that ignore the condition of the upload. Two concurrent writers are then separated by the unique
    // names that the database assigns.
    if (!overwrite && (await this.has(key))) {
      throw new StorageFault('exists', 'An object is already stored under this key.')
    }
    return upload({ client: await this.#client(), place: this.#place, key: Key, overwrite }, parts)
  }

  async open(key: string, { start = 0, end }: ByteRange = {}): Promise<OpenedObject> {
    const isPart = start > 0 || end !== undefined
    const range = isPart ? { Range: `bytes=${start}-${end ?? ''}` } : {}
    const at = this.#at(key)
    try {
      return opened(await this.#call((client) => client.getObject({ ...at, ...range })))
    } catch (error) {
      if (!isPart || !isBeyondEnd(error)) throw error
      const { ContentLength = 0 } = await this.#call((client) => client.headObject(at))
      return { bytes: ContentLength, stream: Readable.from([]) }
    }
  }

  async measure(key: string): Promise<StoredObject> {
    const { bytes, stream } = await this.open(key)
    const hash = createHash('sha256')
    for await (const part of stream as AsyncIterable<Buffer>) hash.update(part)
    return { bytes, sha256: hash.digest('hex') }
  }

  async has(key: string): Promise<boolean> {
    const at = this.#at(key)
    try {
      await this.#call((client) => client.headObject(at))
      return true
    } catch (error) {
      if (error instanceof StorageFault && error.code === 'not_found') return false
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    const at = this.#at(key)
    await this.#call((client) => client.deleteObject(at))
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const { bucket, prefix: before } = this.#options
    const given = { Bucket: bucket, Prefix: `${before}${checkPrefix(prefix)}/` }
    for (let next: string | undefined; ; ) {
      const from = next === undefined ? {} : { ContinuationToken: next }
      const page = await this.#call((client) => client.listObjectsV2({ ...given, ...from }))
      for (const { Key = '', Size = 0, LastModified = new Date() } of page.Contents ?? []) {
        yield { key: Key.slice(before.length), bytes: Size, writtenAt: LastModified }
      }
      next = page.IsTruncated ? page.NextContinuationToken : undefined
      if (next === undefined) return
    }
  }

  /** Removes multipart uploads that began a day before `before`, because S3 reports only when an upload began. */
  async removeLeftovers(before: Date): Promise<number> {
    const begunBefore = new Date(before.getTime() - 24 * 3600_000)
    const given = { Bucket: this.#options.bucket, Prefix: this.#options.prefix }
    let removed = 0
    for (let next = {}; ; ) {
      const page = await this.#call((client) => client.listMultipartUploads({ ...given, ...next })).catch(
        notKnown,
      )
      for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
        if (Key === undefined || UploadId === undefined || !Initiated || Initiated >= begunBefore) continue
        await this.#call((client) => client.abortMultipartUpload({ Bucket: given.Bucket, Key, UploadId }))
        removed++
      }
      if (!page?.IsTruncated) return removed
      next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    }
  }

  async check(): Promise<void> {
    const Key = `${this.#options.prefix}gpuq-writes-here`
    const at = { Bucket: this.#options.bucket, Key }
    await this.#call((client) =>
      client.putObject({ ...at, Body: Buffer.from('This test object may be deleted.\n') }),
    )
    await this.#call((client) => client.headObject(at))
    await this.#call((client) => client.deleteObject(at))
  }
}

/** A server that cannot list unfinished uploads either removes them itself or never; nothing can be done. */
function notKnown(error: unknown): undefined {
  const cause = error instanceof StorageFault ? error.cause : undefined
  if (cause instanceof Error && cause.name === 'NotImplemented') return undefined
  throw error
}

function isBeyondEnd(error: unknown): boolean {
  const cause = error instanceof StorageFault ? error.cause : undefined
  return cause instanceof Error && cause.name === 'InvalidRange'
}

function opened({ Body, ContentRange, ContentLength = 0 }: GetObjectCommandOutput): OpenedObject {
  if (!(Body instanceof Readable))
    throw new StorageFault(
      'storage_error',
      'The bucket returned a response without a body. Check the S3 server.',
    )
  const whole = ContentRange === undefined ? undefined : /\/(\d+)$/.exec(ContentRange)?.[1]
  return { bytes: whole === undefined ? ContentLength : Number(whole), stream: Body }
}
