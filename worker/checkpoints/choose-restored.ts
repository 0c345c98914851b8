import type { CheckpointFile } from '@/lib/cluster/checkpoints/checkpoint-files'
import { mostPathBytes } from './safe-walk'

/** Why nothing may be written at such a path below a directory; null: it may. */
export function refusePath(path: string): string | null {
  if (path === '' || Buffer.byteLength(path) > mostPathBytes) return 'its length is none of a path'
  if (path.includes('\0')) return 'no file can have this name'
  const leadsElsewhere = path.split('/').some((name) => name === '' || name === '.' || name === '..')
  return leadsElsewhere ? 'it leads elsewhere' : null
}

/**
 * The files that can lie beside each other. Two tasks of a run may have had a file and a directory of one name, each in its own
 * place: the later one stays.
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

/** `a`, `a/b` for `a/b/c`: the outermost first. */
export function directoriesAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}
