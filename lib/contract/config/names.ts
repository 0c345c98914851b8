import levenshtein from 'damerau-levenshtein'
import { keyOfMeaning } from './meanings'
import type { YamlMapping } from './tree'

/** Far more characters than between two valid keys. The limit makes the time linear for a text with only wrong keys. */
const maxLookBack = 4096

/**
 * Whether an error may repeat an unknown key. A typing error can turn a part of the token into a key: `token: gpuq_abc`
 * with a line feed and a colon in the wrong places. So an error names a key only if the key looks like a word, and if
 * all text since the last valid key looks like words and keys, not like the token or its key.
 */
export class KeyNames {
  readonly #text: string
  readonly #known: readonly string[]
  /** For each top-level key, in order: the start of the last valid key before it, and whether a token may follow. */
  readonly #marks: { offset: number; goodFrom: number; suspect: boolean }[] = []

  constructor(text: string, root: YamlMapping, known: readonly string[]) {
    this.#text = text
    this.#known = known
    let goodFrom = 0
    let suspect = false
    for (const { key, offset } of root.entries) {
      if (known.includes(key)) {
        goodFrom = offset
        suspect = key === 'token'
      } else {
        suspect ||= nearestKey(key, known) === 'token' || !this.#isInnocent(key, goodFrom, offset)
      }
      this.#marks.push({ offset, goodFrom, suspect })
    }
  }

  mayRepeat(key: string, offset: number): boolean {
    if (this.#known.includes(key) || nearestKey(key, this.#known) !== null) return true
    const mark = this.#marks.findLast((candidate) => candidate.offset <= offset)
    return mark !== undefined && !mark.suspect && this.#isInnocent(key, mark.goodFrom, offset)
  }

  #isInnocent(key: string, from: number, offset: number): boolean {
    if (offset - from > maxLookBack) return false
    if (key.length > 32 || !/^[A-Za-z]{1,16}(?:[_-][A-Za-z0-9]{1,16})*$/.test(key) || isMixed(key))
      return false
    // Without punctuation, because a typing error may have put some into the word that reveals the token.
    const bare = this.#text.slice(from, offset + key.length + 2).replace(/[^A-Za-z]/g, '')
    return !/tok|secret|bearer|auth/i.test(bare) && !bare.includes('gpuq')
  }
}

/** Small and capital letters within a word. This is more often a secret than a name. */
function isMixed(key: string): boolean {
  return /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(key)
}

/** The key that the user probably meant: by another word for it, with one or two typing errors, in another style, or incomplete. */
export function nearestKey(key: string, known: readonly string[]): string | null {
  if (!/^[\w -]{1,40}$/.test(key)) return null
  const bare = withoutStyle(key)
  const meant = keyOfMeaning(bare, known)
  if (meant !== null) return meant
  const allowed = bare.length < 6 ? 1 : 2
  let best: { key: string; distance: number } | null = null
  for (const candidate of known) {
    const other = withoutStyle(candidate)
    if (Math.abs(bare.length - other.length) > allowed) continue
    const distance = levenshtein(bare, other).steps
    if (distance <= allowed && distance < (best?.distance ?? allowed + 1)) best = { key: candidate, distance }
  }
  if (best !== null || bare.length < 3) return best?.key ?? null
  return known.find((candidate) => withoutStyle(candidate).startsWith(bare)) ?? null
}

function withoutStyle(key: string): string {
  return key.toLowerCase().replace(/[_\-\s]/g, '')
}
