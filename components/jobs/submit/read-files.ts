import { type Draft, withoutToken } from './draft'

/** The content of files for the two editors. */
export interface ReadFiles {
  change: Partial<Draft>
  /** The names of the accepted files. */
  accepted: string[]
  /** A message for each refused file. */
  refused: string[]
  /** A token was removed from the config. */
  droppedToken: boolean
}

/** A program and a config. */
export type PickedFiles = Partial<Record<keyof Draft, File>>

/** The server's limit, in bytes. */
export const maxTextBytes = 1024 * 1024

/** The program and the config by their extensions. Null if the files are anything else than at most one of each. */
export function pickProgramAndConfig(files: readonly File[]): PickedFiles | null {
  const picked: PickedFiles = {}
  for (const file of files) {
    const role = roleOf(file.name)
    if (role === null || picked[role]) return null
    picked[role] = file
  }
  return picked
}

function roleOf(name: string): keyof Draft | null {
  if (/\.py$/i.test(name)) return 'code'
  return /\.ya?ml$/i.test(name) ? 'config' : null
}

/** Reads a program and a config. */
export async function readFiles(picked: PickedFiles): Promise<ReadFiles> {
  const result: ReadFiles = { change: {}, accepted: [], refused: [], droppedToken: false }
  for (const role of ['code', 'config'] as const) {
    const file = picked[role]
    if (!file) continue
    const why = file.size === 0 ? 'is empty' : file.size > maxTextBytes ? 'is larger than 1 MiB' : null
    const text = why === null ? await readText(file) : null
    if (text === null) {
      result.refused.push(`${file.name} ${why ?? 'is not UTF-8 text'}.`)
      continue
    }
    const kept = role === 'config' ? withoutToken(text) : text
    result.accepted.push(file.name)
    result.change[role] = kept
    result.droppedToken ||= kept !== text
  }
  return result
}

/** Null if it is not UTF-8 text, or has a zero byte as binary files do. */
export async function readText(content: Blob): Promise<string | null> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await content.arrayBuffer())
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
