import { findBelow } from '../archive-manifest'
import { maxPathBytes, pathOfEntryName, refuseLink, refusePath } from '../archive-paths'
import { EntryProblem, type PackedEntry, type UnpackedEntry } from './packed-entry'

/**
 * Passes on the entries that have a path in the directory. Names that differ only in case are different files, as they are in the
 * container.
 * @throws EntryProblem that names an entry which cannot be in a directory
 */
export async function* checkEntries(packed: AsyncIterable<PackedEntry>): AsyncGenerator<UnpackedEntry> {
  const unique = new UniquePaths()
  for await (const entry of packed) {
    const path = checkedPath(entry.name)
    if (path === null) continue
    if (entry.problem !== null) throw new EntryProblem(entry.name, entry.problem)
    if (entry.kind !== 'directory') unique.add(path)
    yield await toUnpacked(entry, path)
  }
  unique.requireDirectories()
}

async function toUnpacked(entry: PackedEntry, path: string): Promise<UnpackedEntry> {
  const { name, kind, executable, bytes, content } = entry
  if (kind === 'directory') return { kind, path }
  if (kind === 'file') return { kind, path, executable, bytes, content }
  if (kind === 'copy') return { kind, path, of: checkedPath(entry.target ?? '') ?? '.' }
  const target = entry.target ?? (await readTarget(entry))
  const why = refuseLink(path, target)
  if (why !== null) throw new EntryProblem(name, `is a link that ${why}`)
  return { kind, path, target }
}

/** Zip files store the target of a link as its content. */
async function readTarget({ name, bytes, content }: PackedEntry): Promise<string> {
  if (bytes > maxPathBytes) throw new EntryProblem(name, 'is a link with a target that is too long')
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let target = ''
  for await (const piece of content()) target += decoder.decode(piece, { stream: true })
  return target + decoder.decode()
}

/**
 * The path of a name, without `./` at its start and `/` at its end. Null for the top directory itself.
 * @throws EntryProblem
 */
function checkedPath(name: string): string | null {
  const path = pathOfEntryName(name)
  const why = path === null ? null : refusePath(path)
  if (why !== null) throw new EntryProblem(name, why)
  return path
}

/** The paths of files and links. */
class UniquePaths {
  readonly #paths = new Set<string>()

  /** @throws EntryProblem for the second entry with a path. */
  add(path: string): void {
    if (this.#paths.has(path)) throw new EntryProblem(path, 'appears twice')
    this.#paths.add(path)
  }

  /** @throws EntryProblem if a path is below a file or a link. */
  requireDirectories(): void {
    for (const path of findBelow(this.#paths))
      throw new EntryProblem(path, 'is below a path that is not a directory')
  }
}
