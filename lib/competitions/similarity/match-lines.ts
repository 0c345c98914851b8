import { type Fingerprint, tokensTogether } from './fingerprints'

/** The first and the last line of a part of a program, from 1. */
export type Lines = [first: number, last: number]

/** A part of two programs that is alike. */
export interface Match {
  a: Lines
  b: Lines
}

export interface MatchedProgram {
  fingerprints: readonly Fingerprint[]
  /** The line of each token. */
  lines: readonly number[]
}

/** The distance of two shared fingerprints that belong to one part. */
const maxGap = 2 * tokensTogether

/** Places of one fingerprint that are tried. A program that repeats itself has it at many. */
const comparedPlaces = 200

/** Finds the parts that two programs share, by the fingerprints that count. A part may stand elsewhere in the other program. */
export function matchLines(a: MatchedProgram, b: MatchedProgram, counts: (hash: number) => boolean): Match[] {
  const places = new Map<number, number[]>()
  for (const { hash, at } of b.fingerprints) {
    if (!counts(hash)) continue
    const known = places.get(hash)
    if (known && known.length < comparedPlaces) known.push(at)
    else if (!known) places.set(hash, [at])
  }
  // The tokens of each part, until all are known.
  const parts: Match[] = []
  for (const { hash, at } of a.fingerprints) {
    const found = places.get(hash)
    if (!found) continue
    const last = parts.at(-1)
    const near = last && at - last.a[1] <= maxGap ? findNear(found, last, at) : undefined
    const place = near ?? found[0] ?? 0
    if (last && near !== undefined) {
      last.a[1] = at
      last.b = [Math.min(last.b[0], place), Math.max(last.b[1], place)]
    } else parts.push({ a: [at, at], b: [place, place] })
  }
  return parts.map((part) => ({ a: toLines(part.a, a.lines), b: toLines(part.b, b.lines) }))
}

/** The place in the other program that continues a part, nearest to as far behind its end as this one is. */
function findNear(places: readonly number[], { a, b }: Match, at: number): number | undefined {
  const expected = b[1] + at - a[1]
  let nearest: number | undefined
  for (const place of places) {
    if (place < b[0] || place - b[1] > maxGap) continue
    if (nearest === undefined || Math.abs(place - expected) < Math.abs(nearest - expected)) nearest = place
  }
  return nearest
}

/** The lines of the tokens of fingerprints. */
function toLines([first, last]: Lines, lines: readonly number[]): Lines {
  const end = Math.min(last + tokensTogether, lines.length) - 1
  return [lines[first] ?? 1, lines[end] ?? 1]
}
