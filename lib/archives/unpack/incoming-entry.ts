import { pathOfEntryName, refuseLink, refusePath } from '../../contract/archives/archive-paths'
import { type DirectoryPart, refuseEntry } from './refuse-entry'

/** A file, a link, or a copy of an earlier file (a hard link in a tar file). */
export type IncomingEntry =
  | { kind: 'file'; path: string; executable: boolean; content: () => AsyncIterable<Uint8Array> }
  | { kind: 'link'; path: string; target: string }
  | { kind: 'copy'; path: string; of: string }
  | { kind: 'directory'; path: string }

/**
 * The path of an entry, without `./` at its start and `/` at its end. Null for the top directory itself.
 * @throws 422 that names an entry which would be outside of the directory.
 */
export function entryPath(part: DirectoryPart, name: string): string | null {
  const path = pathOfEntryName(name)
  if (path === null) return null
  const why = refusePath(path)
  if (why !== null) throw refuseEntry(part, name, why)
  return path
}

/** @throws 422 that names a link to a place outside of the directory. */
export function checkedLink(path: string, target: string): IncomingEntry {
  const why = refuseLink(path, target)
  if (why !== null) throw refuseEntry('archive', path, `is a link that ${why}`)
  return { kind: 'link', path, target }
}
