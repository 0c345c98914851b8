import { createHash, randomBytes } from 'node:crypto'

/** A token: `gpuq_`, 32 random bytes in base62 (43 characters), and a 6-character checksum of what stands before. */
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

/** True when `text` could have been made by {@link generateToken}: a typing error shows without a look-up. */
export function looksLikeToken(text: string): boolean {
  const length = prefix.length + bodyLength
  return (
    text.length === length + checksumLength &&
    text.startsWith(prefix) &&
    checksum(text.slice(0, length)) === text.slice(length)
  )
}

/** What is stored of a token. Tokens have 256 random bits, so a fast hash is enough. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The first characters, shown to tell tokens apart: few of them where someone else made the token up. */
export function tokenHint(token: string): string {
  return `${token.slice(0, looksLikeToken(token) ? prefix.length + 4 : 4)}…`
}
