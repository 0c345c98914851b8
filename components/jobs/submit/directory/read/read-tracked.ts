import { indexBesideGitFile, readGitIndex } from '@/lib/contract/archives/rules/git-index'
import { repositoryName } from '@/lib/contract/archives/rules/ignore-rules'
import type { TrackedFiles } from '../directory'

/** Opens a file by its path in the dropped folder. Null: there is none. */
type OpenFile = (path: string) => Promise<Blob | null>

/**
 * Reads which files git tracks in the repository at `directory`. Null: there is none, or nothing was added to it yet. The index may
 * be unknown, for example because the folder is a worktree of a repository elsewhere.
 */
export async function readTracked(directory: string, open: OpenFile): Promise<TrackedFiles | null> {
  const unknown = { directory, files: [], submodules: [], unknown: true }
  const link = await open(`${directory}/${repositoryName}`.replace(/^\//, ''))
  if (link === null) return readIndex(directory, joined(directory, `${repositoryName}/index`), open)
  const index = indexBesideGitFile(await link.text())
  return (index === null ? null : await readIndex(directory, joined(directory, index), open)) ?? unknown
}

async function readIndex(
  directory: string,
  path: string | null,
  open: OpenFile,
): Promise<TrackedFiles | null> {
  const content = path === null ? null : await open(path)
  if (path === null || content === null) return null
  const index = readGitIndex(new Uint8Array(await content.arrayBuffer()))
  if (index === null) return { directory, files: [], submodules: [], unknown: true }
  const { files, submodules, sharedIndex } = index
  if (sharedIndex === null) return { directory, files, submodules }
  const common = await readIndex(directory, joined(path, `../sharedindex.${sharedIndex}`), open)
  return {
    directory,
    files: [...files, ...(common?.files ?? [])],
    submodules: [...submodules, ...(common?.submodules ?? [])],
  }
}

/** The path with its `..`; null if it leads out of the folder. */
function joined(directory: string, path: string): string | null {
  if (path.startsWith('/')) return null
  const names: string[] = []
  for (const name of `${directory}/${path}`.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) return null
  }
  return names.join('/')
}
