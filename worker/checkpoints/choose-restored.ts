import type { CheckpointFile } from '@/lib/checkpoints/checkpoint-files'
import { mostPathBytes } from '../files/safe-walk'

/** Returns why a path below a directory is not allowed; null if it is. */
export function refusePath(path: string): string | null {
  if (path === '' || Buffer.byteLength(path) > mostPathBytes) return 'its length is not allowed'
  if (path.includes('\0')) return 'it contains a null byte'
  const leadsElsewhere = path.split('/').some((name) => name === '' || name === '.' || name === '..')
  return leadsElsewhere ? 'it leaves the directory' : null
}

/**
 * Chooses files that can exist together. If two tasks of a run had a file and a directory of one name, the later one
 * wins.
 */
export function chooseRestored(recorded: readonly CheckpointFile[]): CheckpointFile[] {
  const files = new Set<string>()
  const directories = new Set<string>()
  const latestFirst = recorded.toSorted((a, b) => b.storedAt.getTime() - a.storedAt.getTime())
  return latestFirst.filter(({ path }) => {
    const above = directoriesAbove(path)
    if (directories.has(path) || above.some((directory) => files.has(directory))) return false
    files.add(path)
    for (const directory of above) directories.add(directory)
    return true
  })
}

/** Returns `a`, `a/b` for `a/b/c`. */
export function directoriesAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}
