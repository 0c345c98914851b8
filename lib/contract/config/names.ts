import levenshtein from 'damerau-levenshtein'
import type { YamlMapping } from './tree'

/** Far more than stands between two good keys, so that a text of nothing but wrong keys costs linear time. */
const maxLookBack = 4096

/**
 * Whether a key that is not ours may be repeated in an error. A slip beside the token turns a piece of it into a
 * key: `token: gpuq_abc` with a line feed and a colon in the wrong places. So a key is named only when it looks like
 * a word, and nothing from the last good key on looks like the token, like its key, or like neither word nor key.
 */
export class KeyNames {
  readonly #text: string
  readonly #known: readonly string[]
  /** The top-level keys in order: where the last good key up to there began, and whether a token may follow. */
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
    // Without signs, because a slip may have put one into the word that gives the token away.
    const bare = this.#text.slice(from, offset + key.length + 2).replace(/[^A-Za-z]/g, '')
    return !/tok|secret|bearer|auth/i.test(bare) && !bare.includes('gpuq')
  }
}

/** Small and capital letters within a word: more often a secret than a name. */
function isMixed(key: string): boolean {
  return /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(key)
}

/** The key that was probably meant: one or two slips away, written in another style, or begun and not finished. */
export function nearestKey(key: string, known: readonly string[]): string | null {
  if (!/^[\w -]{1,40}$/.test(key)) return null
  const bare = withoutStyle(key)
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
