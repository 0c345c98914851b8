import { type Draft, withoutToken } from './draft'

interface ReadFiles {
  /** The content of the files. */
  change: Partial<Draft>
  /** The names of the accepted files. */
  accepted: string[]
  /** A message for each refused file. */
  refused: string[]
  /** A token was removed from the config. */
  droppedToken: boolean
}

/** Reads the files of a submission. */
export async function readFiles(files: readonly File[]): Promise<ReadFiles> {
  const sorted = sortFiles(files)
  const result: ReadFiles = { change: {}, accepted: [], refused: sorted.refused, droppedToken: false }
  for (const role of ['code', 'config'] as const) {
    const file = sorted[role]
    if (!file) continue
    const text = await readText(file)
    if (text === null) {
      result.refused.push(`${file.name} is not UTF-8 text.`)
      continue
    }
    const kept = role === 'config' ? withoutToken(text) : text
    result.accepted.push(file.name)
    result.change[role] = kept
    result.droppedToken ||= kept !== text
  }
  return result
}

/** Null if the file is not UTF-8 text. */
async function readText(file: File): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    return null
  }
}

interface SortedFiles {
  code?: File
  config?: File
  refused: string[]
}

/** The server's limit. */
const maxBytes = 1024 * 1024

/** Finds the program and the config among dropped files by their extensions. Accepts one of each. */
export function sortFiles(files: readonly File[]): SortedFiles {
  const sorted: SortedFiles = { refused: [] }
  for (const file of files) {
    const { name, size } = file
    const role = roleOf(name)
    if (role === null) sorted.refused.push(`${name} is not a .py or .yaml file.`)
    else if (size === 0) sorted.refused.push(`${name} is empty.`)
    else if (size > maxBytes) sorted.refused.push(`${name} is larger than 1 MiB.`)
    else if (sorted[role]) sorted.refused.push(`${name} was ignored: ${sorted[role].name} came first.`)
    else sorted[role] = file
  }
  return sorted
}

function roleOf(name: string): 'code' | 'config' | null {
  if (/\.py$/i.test(name)) return 'code'
  return /\.ya?ml$/i.test(name) ? 'config' : null
}
