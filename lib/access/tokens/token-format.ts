import { createHash, randomBytes } from 'node:crypto'

/**
 * A token is `gpuq_`, 32 random bytes in base62 (43 characters), and a checksum of 6 characters over everything
 * before it.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'gpuq_'
const bodyLength = 43
const checksumLength = 6

function toBase62(bytes: Uint8Array, length: number): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (let i = 0; i < length; i++) {
    text = alphabet.charAt(Number(number % 62n)) + text
    number /= 62n
  }
  return text
}

function checksum(text: string): string {
  return toBase62(createHash('sha256').update(text).digest().subarray(0, 4), checksumLength)
}

export function generateToken(): string {
  const body = prefix + toBase62(randomBytes(32), bodyLength)
  return body + checksum(body)
}

/** Returns true if {@link generateToken} could have created `text`. Detects typing errors without a database query. */
export function looksLikeToken(text: string): boolean {
  const length = prefix.length + bodyLength
  return (
    text.length === length + checksumLength &&
    text.startsWith(prefix) &&
    checksum(text.slice(0, length)) === text.slice(length)
  )
}

/** The hash of a token for storage. A token has 256 random bits, so a fast hash is sufficient. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The first characters of a token, shown to distinguish tokens. Fewer for a token chosen by a person. */
export function tokenHint(token: string): string {
  return `${token.slice(0, looksLikeToken(token) ? prefix.length + 4 : 4)}…`
}
