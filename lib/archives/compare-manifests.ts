import { type Entry, isLink, type Manifest } from '../contract/archives/archive-manifest'
import type { SnapshotChange, SnapshotChanges } from '../contract/archives/changes'

/** Compares two directories by path. Lists at most `limit` files; the counts are always complete. */
export function compareManifests(before: Manifest, after: Manifest, limit: number): SnapshotChanges {
  const old = new Map(before.entries.map((entry) => [entry.path, entry]))
  const paths = new Set(after.entries.map(({ path }) => path))
  const counts = { added: zero(), removed: zero(), changed: zero(), unchanged: zero() }
  const files: SnapshotChange[] = []
  const note = (path: string, change: SnapshotChange['change'] | 'unchanged', from?: Entry, to?: Entry) => {
    counts[change].files++
    counts[change].bytes += bytesOf(to) ?? bytesOf(from) ?? 0
    if (change !== 'unchanged') {
      files.push({ path, change, bytes_before: bytesOf(from), bytes_after: bytesOf(to) })
    }
  }
  for (const entry of after.entries) {
    const earlier = old.get(entry.path)
    const change = earlier === undefined ? 'added' : isSame(earlier, entry) ? 'unchanged' : 'changed'
    note(entry.path, change, earlier, entry)
  }
  for (const entry of before.entries) {
    if (!paths.has(entry.path)) note(entry.path, 'removed', entry)
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { ...counts, files: files.slice(0, limit), truncated: files.length > limit }
}

const zero = () => ({ files: 0, bytes: 0 })

function bytesOf(entry: Entry | undefined): number | null {
  if (entry === undefined) return null
  return isLink(entry) ? 0 : entry.bytes
}

function isSame(one: Entry, other: Entry): boolean {
  if (isLink(one) || isLink(other)) return isLink(one) && isLink(other) && one.target === other.target
  return one.sha256 === other.sha256 && one.executable === other.executable
}
