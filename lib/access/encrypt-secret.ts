import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sessionSecret } from './sessions/session-secret'

const ivBytes = 12
const tagBytes = 16

/** What an encrypted text is. Each purpose has its own key. */
type Purpose = 'gpuq bucket keys' | 'gpuq notification targets' | 'gpuq webhook secrets'

/** Derives the key from the secret of the sessions, which is not in the database. */
async function encryptionKey(purpose: Purpose): Promise<Buffer> {
  return Buffer.from(hkdfSync('sha256', await sessionSecret(), '', purpose, 32))
}

/**
 * Encrypts a text with AES-256-GCM.
 * @param id the row that it belongs to. The secret of one row cannot be decrypted as that of another.
 */
export async function encryptSecret(purpose: Purpose, id: string, text: string): Promise<Buffer> {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', await encryptionKey(purpose), iv).setAAD(Buffer.from(id))
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted])
}

/** Decrypts a text; null if the secret of the sessions has changed since it was encrypted. */
export async function decryptSecret(
  purpose: Purpose,
  id: string,
  stored: Uint8Array,
): Promise<string | null> {
  const key = await encryptionKey(purpose)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(0, ivBytes))
      .setAAD(Buffer.from(id))
      .setAuthTag(stored.subarray(ivBytes, ivBytes + tagBytes))
    const text = Buffer.concat([decipher.update(stored.subarray(ivBytes + tagBytes)), decipher.final()])
    return text.toString()
  } catch {
    return null
  }
}
