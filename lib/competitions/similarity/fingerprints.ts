/** Tokens in a row that are hashed together: fewer are a coincidence. */
export const tokensTogether = 24
/** Hashes in a row of which the smallest is kept. */
const windowSize = 12

/** A hash of tokens in a row, and the index of the first of them. */
export interface Fingerprint {
  hash: number
  at: number
}

const bases = [0x01000193, 0x2c1b3c6d] as const
const lowBits = 21

/**
 * Chooses fingerprints by winnowing. Any {@link tokensTogether} + window − 1 tokens in a row contain one, and equal tokens have equal
 * ones, whatever is around them.
 */
export function winnow(codes: readonly number[]): Fingerprint[] {
  const hashes = hashRuns(codes)
  const chosen: Fingerprint[] = []
  // The indexes of hashes that may become the smallest, in increasing order of the hashes.
  const candidates: number[] = []
  let head = 0
  for (let index = 0; index < hashes.length; index += 1) {
    const hash = hashes[index] ?? 0
    while (candidates.length > head && (hashes[candidates.at(-1) ?? 0] ?? 0) >= hash) candidates.pop()
    candidates.push(index)
    if ((candidates[head] ?? 0) <= index - windowSize) head += 1
    // A program that is shorter than a window has one fingerprint.
    if (index < windowSize - 1 && index < hashes.length - 1) continue
    const at = candidates[head] ?? 0
    if (chosen.at(-1)?.at !== at) chosen.push({ hash: hashes[at] ?? 0, at })
  }
  return chosen
}

/** The hash of each run of tokens: 53 bits, so that different runs of a large class have different ones. */
function hashRuns(codes: readonly number[]): number[] {
  const [high, low] = bases.map((base) => rollHashes(codes, base))
  return (high ?? []).map((hash, index) => hash * 2 ** lowBits + ((low?.[index] ?? 0) >>> (32 - lowBits)))
}

function rollHashes(codes: readonly number[], base: number): number[] {
  let leading = 1
  for (let n = 1; n < tokensTogether; n += 1) leading = Math.imul(leading, base)
  const hashes: number[] = []
  let hash = 0
  for (const [index, code] of codes.entries()) {
    if (index >= tokensTogether) hash = (hash - Math.imul(codes[index - tokensTogether] ?? 0, leading)) | 0
    hash = (Math.imul(hash, base) + code) | 0
    // The last step mixes the bits: the smallest hash must not depend on the last token alone.
    if (index >= tokensTogether - 1) hashes.push(mix(hash))
  }
  return hashes
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
