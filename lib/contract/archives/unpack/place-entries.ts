import { defaultEntrypoints } from '../../config/program/entrypoint'
import { startingWith } from '../archive-manifest'
import { archiveStem } from './archive-format'

/** The keys of a config that name files of the archive. */
export interface NamedFiles {
  entrypoint?: string | undefined
  command?: string | undefined
}

interface Packed {
  /** The paths of files and links in the archive. */
  paths: readonly string[]
  /** The paths of its directories, as far as the archive lists them. */
  directories: readonly string[]
}

/** A directory with one of these at its top is a whole project. */
const projectFiles: readonly string[] = [...defaultEntrypoints, 'config.yaml', 'config.yml', '.gitignore']

/** Where the content of an archive lies in the directory of the job. */
interface Placed {
  /** The paths of files and links in the archive, each with its place. */
  places: Map<string, string>
  /** The places of its directories without content. Only files and links are sent. */
  emptyDirectories: string[]
}

/**
 * Where the files of an archive lie in the directory of the job. The metadata of macOS is left
 * out. If an archive has only one directory, and it is a project, its content is taken.
 * @param archiveName decides with the content whether the directory is a project. Null: it is not taken.
 */
export function placeEntries(
  { paths, directories }: Packed,
  archiveName: string | null,
  named: NamedFiles,
): Placed {
  const metadata = findMacMetadata({ paths, directories })
  const kept = paths.filter((path) => !metadata.has(path))
  const top = archiveName === null ? '' : topOf(kept, archiveName, named)
  const empty = findEmpty(directories, paths).filter((path) => !`${path}/`.startsWith('__MACOSX/'))
  return {
    places: new Map(kept.map((path) => [path, path.slice(top.length)])),
    emptyDirectories: empty.map((path) => (path.startsWith(top) ? path.slice(top.length) : path)),
  }
}

function findEmpty(directories: readonly string[], paths: readonly string[]): string[] {
  const sorted = [...new Set([...directories, ...paths])].sort()
  return [...new Set(directories)].filter((path) => startingWith(sorted, `${path}/`).next().done)
}

/** macOS stores the attributes of a file beside it, as `._NAME`, or in a directory `__MACOSX`. They are no files of the user. */
function findMacMetadata({ paths, directories }: Packed): Set<string> {
  const found = new Set(paths.filter((path) => path.startsWith('__MACOSX/')))
  const candidates = paths.filter((path) => path.startsWith('._', path.lastIndexOf('/') + 1))
  if (candidates.length === 0) return found
  const known = new Set([...paths, ...directories])
  const sorted = [...known].sort()
  for (const path of candidates) {
    const slash = path.lastIndexOf('/') + 1
    const described = path.slice(0, slash) + path.slice(slash + 2)
    const isDirectory = startingWith(sorted, `${described}/`).next().done === false
    if (known.has(described) || isDirectory) found.add(path)
  }
  return found
}

/** The directory around the project, with a slash at its end. Empty: there is none. */
function topOf(paths: readonly string[], archiveName: string, named: NamedFiles): string {
  let top = ''
  for (;;) {
    const [first = ''] = paths
    const slash = first.indexOf('/', top.length)
    const next = first.slice(0, slash + 1)
    if (slash === -1 || !paths.every((path) => path.startsWith(next))) return top
    const name = next.slice(top.length, -1)
    if (isNamed(name, named) || !isProject(paths, next, name === archiveStem(archiveName), named)) return top
    top = next
  }
}

function isProject(
  paths: readonly string[],
  top: string,
  hasArchiveName: boolean,
  { entrypoint }: NamedFiles,
): boolean {
  if (hasArchiveName) return true
  const wanted = entrypoint === undefined ? projectFiles : [...projectFiles, entrypoint.replace(/^\.\//, '')]
  return wanted.some((file) => paths.includes(top + file))
}

/** Whether the config uses the directory by its name, as in `project/train.py`, `cd project` or `-m project`, so that it must stay. */
function isNamed(name: string, { entrypoint = '', command = '' }: NamedFiles): boolean {
  if (entrypoint.replace(/^\.\//, '').startsWith(`${name}/`)) return true
  const parts = command.split(name)
  return parts.slice(1).some((after, index) => {
    const before = parts
      .slice(0, index + 1)
      .join(name)
      .replace(/\.\/$/, '')
    // Otherwise it is the end of a longer name or path.
    if (/[\w./-]$/.test(before)) return false
    return after.startsWith('/') || (/(^|\s)(cd|-m)\s+["']?$/.test(before) && !/^[\w-]/.test(after))
  })
}
