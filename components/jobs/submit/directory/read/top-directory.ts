import { defaultEntrypoints } from '@/lib/contract/config/entrypoint'
import type { LocalEntry } from '../directory'

const archiveExtension = /\.(zip|tar|tgz|tar\.gz)$/i

/** Whether the page unpacks the file. */
export function isArchiveName(name: string): boolean {
  return archiveExtension.test(name)
}

/** A directory with one of these at its top is a whole project. */
const projectFiles: readonly string[] = [...defaultEntrypoints, 'config.yaml', 'config.yml', '.gitignore']

/**
 * The content of the only directory of an archive, if the archive was made of a folder: the directory has the name of the
 * archive, or what a job runs. Otherwise, the same entries.
 */
export function withoutTopDirectory(archiveName: string, entries: readonly LocalEntry[]): LocalEntry[] {
  const [first] = entries
  const top = first?.path.includes('/') ? first.path.slice(0, first.path.indexOf('/') + 1) : null
  if (top === null || !entries.every(({ path }) => path.startsWith(top))) return [...entries]
  const hasArchiveName = `${archiveName.replace(archiveExtension, '')}/` === top
  const isProject = entries.some(({ path }) => projectFiles.includes(path.slice(top.length)))
  if (!hasArchiveName && !isProject) return [...entries]
  return entries.map((entry) => ({ ...entry, path: entry.path.slice(top.length) }))
}
