/** The two files of a submission. */
export type FileRole = 'code' | 'config'

interface NamedFile {
  name: string
  size: number
}

export interface SortedFiles<File extends NamedFile> {
  code?: File
  config?: File
  /** A message for each refused file. */
  refused: string[]
}

/** The server's limit. */
const maxBytes = 1024 * 1024

/** Finds the program and the config among dropped files by their extensions. Accepts one of each. */
export function sortFiles<File extends NamedFile>(files: readonly File[]): SortedFiles<File> {
  const sorted: SortedFiles<File> = { refused: [] }
  for (const file of files) {
    const role = roleOf(file.name)
    const refusal = role === null ? wrongEnding(file.name) : (wrongSize(file) ?? second(sorted, role, file))
    if (refusal !== null) sorted.refused.push(refusal)
    else if (role !== null) sorted[role] = file
  }
  return sorted
}

function roleOf(name: string): FileRole | null {
  if (/\.py$/i.test(name)) return 'code'
  return /\.ya?ml$/i.test(name) ? 'config' : null
}

function wrongEnding(name: string): string {
  return `${name} is not a .py or .yaml file.`
}

function wrongSize({ name, size }: NamedFile): string | null {
  if (size === 0) return `${name} is empty.`
  return size > maxBytes ? `${name} is larger than 1 MiB.` : null
}

function second(sorted: SortedFiles<NamedFile>, role: FileRole, { name }: NamedFile): string | null {
  const first = sorted[role]
  return first ? `${name} was ignored: ${first.name} came first.` : null
}
