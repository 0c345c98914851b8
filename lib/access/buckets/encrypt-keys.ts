import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { sessionSecret } from '../sessions/session-secret'

const bucketKeysSchema = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() })

/** The access key of a bucket, and its secret. */
export type BucketKeys = z.output<typeof bucketKeysSchema>

const ivBytes = 12
const tagBytes = 16

/** Derives the key from the secret of the sessions, which is not in the database. */
async function encryptionKey(): Promise<Buffer> {
  return Buffer.from(hkdfSync('sha256', await sessionSecret(), '', 'gpuq bucket keys', 32))
}

/**
 * Encrypts the keys of a bucket with AES-256-GCM.
 * @param id the bucket. The keys of one bucket cannot be decrypted as those of another.
 */
export async function encryptKeys(id: string, keys: BucketKeys): Promise<Buffer> {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', await encryptionKey(), iv).setAAD(Buffer.from(id))
  const encrypted = Buffer.concat([cipher.update(JSON.stringify(keys)), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted])
}

/** Decrypts the keys of a bucket; null if the secret of the sessions has changed since they were encrypted. */
export async function decryptKeys(id: string, stored: Buffer): Promise<BucketKeys | null> {
  const key = await encryptionKey()
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(0, ivBytes))
      .setAAD(Buffer.from(id))
      .setAuthTag(stored.subarray(ivBytes, ivBytes + tagBytes))
    const text = Buffer.concat([decipher.update(stored.subarray(ivBytes + tagBytes)), decipher.final()])
    return bucketKeysSchema.parse(JSON.parse(text.toString()))
  } catch {
    return null
  }
}
