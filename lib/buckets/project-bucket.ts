import type { S3 } from '@aws-sdk/client-s3'
import { bucketFolder } from '../jobs/state/submit'
import { type BucketAddress, connectS3 } from '../storage/s3-client'
import { type BucketLocation, withBucketFaults } from '../storage/s3-faults'
import { upload } from '../storage/s3-upload'
import { StorageFault } from '../storage/store'

/** S3 refuses longer keys. */
const maxKeyBytes = 1024

/** The bucket of a project, into which gpuq copies the results of jobs. gpuq never reads from it. */
export class ProjectBucket {
  readonly #address: BucketAddress
  readonly #place: BucketLocation
  #connecting: Promise<S3> | undefined

  constructor(address: BucketAddress) {
    this.#address = address
    const { bucket, endpoint } = address
    this.#place = { bucket, registered: true, ...(endpoint === undefined ? {} : { endpoint }) }
  }

  #client(): Promise<S3> {
    this.#connecting ??= connectS3(this.#address)
    return this.#connecting
  }

  /** Stores an object, and replaces an earlier one. A reader sees a complete object or none. @throws StorageFault. */
  async write(key: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    await upload({ client: await this.#client(), place: this.#place, key, overwrite: true }, parts)
  }

  /** Whether an object of this size exists. False if the keys may not know. */
  async has(key: string, bytes: number): Promise<boolean> {
    const client = await this.#client()
    const at = { Bucket: this.#address.bucket, Key: key }
    try {
      const { ContentLength } = await withBucketFaults(this.#place, client.headObject(at))
      return ContentLength === bytes
    } catch (error) {
      // Without the right to list, S3 answers 403 for an object that does not exist.
      if (error instanceof StorageFault && (error.code === 'not_found' || error.code === 'denied'))
        return false
      throw error
    }
  }

  /** Writes and deletes a small object. @throws StorageFault that says what to change. */
  async check(): Promise<void> {
    const client = await this.#client()
    const at = { Bucket: this.#address.bucket, Key: `${bucketFolder}/gpuq-writes-here` }
    const Body = Buffer.from('This test object may be deleted.\n')
    await withBucketFaults(this.#place, client.putObject({ ...at, Body }))
    await withBucketFaults(this.#place, client.deleteObject(at))
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    const client = await this.#connecting?.catch(() => undefined)
    client?.destroy()
  }
}

/** The key of a job's object. A path that would make it too long is replaced by `otherwise`. */
export function projectBucketKey(jobId: string, path: string, otherwise = path): string {
  const key = `${bucketFolder}/${jobId}/${path}`
  return Buffer.byteLength(key) > maxKeyBytes ? `${bucketFolder}/${jobId}/${otherwise}` : key
}
