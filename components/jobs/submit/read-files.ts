import type { Draft } from './draft'
import { withoutToken } from './draft'
import { sortFiles } from './sort-files'

export interface ReadFiles {
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
  const { code, config, refused } = sortFiles(files)
  const result: ReadFiles = { change: {}, accepted: [], refused, droppedToken: false }
  for (const [role, file] of [
    ['code', code],
    ['config', config],
  ] as const) {
    const text = file && (await readText(file))
    if (text === undefined) continue
    if (text === null) {
      result.refused.push(`${file?.name} is not UTF-8 text.`)
      continue
    }
    result.accepted.push(file?.name ?? role)
    result.change[role] = role === 'config' ? withoutToken(text) : text
    result.droppedToken ||= result.change[role] !== text
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
