import { z } from 'zod'
import { decryptSecret, encryptSecret } from '../access/encrypt-secret'

const bucketKeysSchema = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() })

/** The access key of a bucket, and its secret. */
export type BucketKeys = z.output<typeof bucketKeysSchema>

/** Encrypts the keys of the bucket `id`. */
export function encryptKeys(id: string, keys: BucketKeys): Promise<Buffer> {
  return encryptSecret('gpuq bucket keys', id, JSON.stringify(keys))
}

/** Decrypts the keys of a bucket; null if the secret of the sessions has changed since they were encrypted. */
export async function decryptKeys(id: string, stored: Uint8Array): Promise<BucketKeys | null> {
  const text = await decryptSecret('gpuq bucket keys', id, stored)
  return text === null ? null : bucketKeysSchema.parse(JSON.parse(text))
}
