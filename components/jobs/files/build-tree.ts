/** A file in a list of paths. */
export interface TreeFile {
  path: string
  bytes: number
  /** Where a link leads; null: a file. */
  target: string | null
}

/** A directory with what is in it. */
export interface TreeDirectory {
  name: string
  path: string
  /** Size of all files below it. */
  bytes: number
  /** Number of all files below it. */
  count: number
  directories: TreeDirectory[]
  files: (TreeFile & { name: string })[]
}

/** Arranges files by their directories. Directories and files are in the order of their names. */
export function buildTree(files: readonly TreeFile[]): TreeDirectory {
  const root = emptyDirectory('', '')
  const known = new Map([['', root]])
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const names = file.path.split('/')
    const name = names.pop() ?? ''
    let directory = root
    add(root, file.bytes)
    for (const [index, part] of names.entries()) {
      const path = names.slice(0, index + 1).join('/')
      const next = known.get(path) ?? emptyDirectory(part, path)
      if (!known.has(path)) directory.directories.push(next)
      known.set(path, next)
      add(next, file.bytes)
      directory = next
    }
    directory.files.push({ ...file, name })
  }
  return root
}

function emptyDirectory(name: string, path: string): TreeDirectory {
  return { name, path, bytes: 0, count: 0, directories: [], files: [] }
}

function add(directory: TreeDirectory, bytes: number): void {
  directory.bytes += bytes
  directory.count++
}
