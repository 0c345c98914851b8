import { createHash } from 'node:crypto'
import { type Fingerprint, winnow } from './fingerprints'
import { type Match, matchLines } from './match-lines'
import { readTokens } from './tokens'
import type { Turn } from './turn'

/** Two programs that resemble each other. */
export interface Pair {
  /** Their indexes; the first one is smaller. */
  a: number
  b: number
  /** The part of the smaller program's fingerprints that the other one has. */
  share: number
  matches: Match[]
}

export interface PairOptions {
  /** The least share that counts. */
  minShare: number
  /** The most pairs, those with the largest share. */
  limit: number
}

/** Fingerprints of more programs say nothing: everybody writes such lines. */
const mostPrograms = 30
/** Fewer shared fingerprints are a coincidence. */
const leastShared = 4
/** Parts of a pair that are shown. */
const shownMatches = 50

interface Program {
  index: number
  fingerprints: Fingerprint[]
  lines: number[]
  /** Different fingerprints that are not of the template. */
  distinct: Set<number>
}

/**
 * Finds pairs of similar programs.
 * @param templates programs that everybody got: what is in them counts as nobody's
 */
export async function findPairs(
  sources: readonly string[],
  templates: readonly string[],
  { minShare, limit }: PairOptions,
  turn: Turn,
): Promise<Pair[]> {
  const known = new Set<number>()
  for (const template of templates)
    for (const { hash } of winnow((await readTokens(template, turn)).codes)) known.add(hash)
  const { programs, copies } = await readPrograms(sources, known, turn)
  const index = await makeIndex(programs, turn)
  const shared = await countShared(programs, index, turn)
  const pairs = [...copies, ...choosePairs(programs, shared, minShare)]
  pairs.sort((a, b) => b.share - a.share || b.size - a.size)
  const found: Pair[] = []
  for (const { a, b, share } of pairs.slice(0, limit)) {
    await turn()
    // Copies have the fingerprints of many programs, and all of them count.
    const counts = (hash: number) => a.distinct.has(hash) && (share === 1 || isTelling(index.get(hash)))
    found.push({ a: a.index, b: b.index, share, matches: matchLines(a, b, counts).slice(0, shownMatches) })
  }
  return found
}

interface Candidate {
  a: Program
  b: Program
  share: number
  /** Shared fingerprints. */
  size: number
}

/** Reads the programs. Those with the same tokens as an earlier one are a copy of it, and are compared with no others. */
async function readPrograms(
  sources: readonly string[],
  known: ReadonlySet<number>,
  turn: Turn,
): Promise<{ programs: Program[]; copies: Candidate[] }> {
  const programs: Program[] = []
  const copies: Candidate[] = []
  const firsts = new Map<string, Program>()
  for (const [index, source] of sources.entries()) {
    await turn()
    const { codes, lines } = await readTokens(source, turn)
    const fingerprints = winnow(codes)
    const distinct = new Set(fingerprints.flatMap(({ hash }) => (known.has(hash) ? [] : [hash])))
    const program = { index, fingerprints, lines, distinct }
    if (distinct.size < leastShared) continue
    const key = createHash('sha256').update(Uint32Array.from(codes)).digest('base64')
    const first = firsts.get(key)
    if (first) copies.push({ a: first, b: program, share: 1, size: distinct.size })
    else {
      firsts.set(key, program)
      programs.push(program)
    }
  }
  return { programs, copies }
}

/** The programs with a fingerprint, by their places in the list. */
type Index = ReadonlyMap<number, number[]>

async function makeIndex(programs: readonly Program[], turn: Turn): Promise<Index> {
  const index = new Map<number, number[]>()
  for (const [place, { distinct }] of programs.entries()) {
    await turn()
    for (const hash of distinct) {
      const places = index.get(hash)
      if (places) places.push(place)
      else index.set(hash, [place])
    }
  }
  return index
}

const isTelling = (places: readonly number[] | undefined): places is number[] =>
  places !== undefined && places.length > 1 && places.length <= mostPrograms

/** The number of telling fingerprints that two programs share, for each two that share any. */
async function countShared(
  programs: readonly Program[],
  index: Index,
  turn: Turn,
): Promise<ReadonlyMap<number, number>> {
  const shared = new Map<number, number>()
  for (const places of index.values()) {
    if (!isTelling(places)) continue
    await turn()
    for (const [n, a] of places.entries()) {
      for (const b of places.slice(n + 1)) {
        const key = a * programs.length + b
        shared.set(key, (shared.get(key) ?? 0) + 1)
      }
    }
  }
  return shared
}

function choosePairs(
  programs: readonly Program[],
  shared: ReadonlyMap<number, number>,
  minShare: number,
): Candidate[] {
  const chosen: Candidate[] = []
  for (const [key, size] of shared) {
    const [a, b] = [programs[Math.floor(key / programs.length)], programs[key % programs.length]]
    if (!a || !b || size < leastShared) continue
    const share = size / Math.min(a.distinct.size, b.distinct.size)
    if (share >= minShare) chosen.push({ a, b, share, size })
  }
  return chosen
}
