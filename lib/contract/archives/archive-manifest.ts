import { refuseLink, refusePath } from './archive-paths'

/** Maximum number of files and links, because a node stores them and copies them into the job's memory. */
export const maxEntries = 50_000

export interface FileEntry {
  path: string
  bytes: number
  sha256: string
  executable?: true | undefined
}

export interface LinkEntry {
  path: string
  target: string
}

export type Entry = FileEntry | LinkEntry

interface Mistake {
  index: number
  message: string
}

/** Finds entries that cannot be in one directory together. */
export function* findMistakes(entries: readonly Entry[]): Generator<Mistake> {
  const paths = new Set<string>()
  const sizes = new Map<string, number>()
  for (const [index, entry] of entries.entries()) {
    const why = refusePath(entry.path) ?? (isLink(entry) ? refuseLink(entry.path, entry.target) : null)
    if (why !== null) yield { index, message: why }
    else if (paths.has(entry.path)) yield { index, message: 'appears twice' }
    paths.add(entry.path)
    if (isLink(entry)) continue
    if ((sizes.get(entry.sha256) ?? entry.bytes) !== entry.bytes)
      yield { index, message: 'has the hash of a file with another size' }
    sizes.set(entry.sha256, entry.bytes)
  }
  const misplaced = findBelow(paths)
  for (const [index, { path }] of entries.entries()) {
    if (misplaced.has(path)) yield { index, message: 'is below a path that is not a directory' }
  }
}

/** The paths that are below another one of them. */
export function findBelow(paths: Iterable<string>): Set<string> {
  const sorted = [...paths].sort()
  const found = new Set<string>()
  for (const path of sorted) for (const below of startingWith(sorted, `${path}/`)) found.add(below)
  return found
}

/** The texts of a sorted list that begin so. */
export function* startingWith(sorted: readonly string[], start: string): Generator<string> {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') < start) low = middle + 1
    else high = middle
  }
  for (let text = sorted[low]; text?.startsWith(start); text = sorted[++low]) yield text
}

/** `a/b/c` → `a`, `a/b`. */
export function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at))
  return parents
}

export function isLink(entry: Entry): entry is LinkEntry {
  return 'target' in entry
}

/** A directory as it is stored. The same content always gives the same manifest. */
export interface Manifest {
  version: 1
  entries: Entry[]
}

/** Sorts the entries and their keys. */
export function toManifest(entries: readonly Entry[]): Manifest {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return { version: 1, entries: sorted.map(inOrder) }
}

function inOrder(entry: Entry): Entry {
  if (isLink(entry)) return { path: entry.path, target: entry.target }
  const { path, bytes, sha256, executable } = entry
  return { path, bytes, sha256, ...(executable && { executable }) }
}

/** The text whose SHA-256 is the directory's hash. */
export function canonicalText(manifest: Manifest): string {
  return JSON.stringify(manifest)
}

/** The size of each distinct content. */
export function contentsOf(entries: readonly Entry[]): Map<string, number> {
  return new Map(entries.flatMap((entry) => (isLink(entry) ? [] : [[entry.sha256, entry.bytes] as const])))
}

export function totalBytes(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + (isLink(entry) ? 0 : entry.bytes), 0)
}
