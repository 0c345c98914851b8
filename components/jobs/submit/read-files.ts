import type { Draft } from './draft'
import { withoutToken } from './draft'
import { sortFiles } from './sort-files'

export interface ReadFiles {
  /** What the files hold. */
  change: Partial<Draft>
  /** What was taken: the files' names. */
  taken: string[]
  /** What was not, and why: a sentence each. */
  refused: string[]
  /** A token stood in the config and was left out. */
  droppedToken: boolean
}

/** Reads the files of a submission. */
export async function readFiles(files: readonly File[]): Promise<ReadFiles> {
  const { code, config, refused } = sortFiles(files)
  const result: ReadFiles = { change: {}, taken: [], refused, droppedToken: false }
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
    result.taken.push(file?.name ?? role)
    result.change[role] = role === 'config' ? withoutToken(text) : text
    result.droppedToken ||= result.change[role] !== text
  }
  return result
}

/** Null where the bytes are no text. */
async function readText(file: File): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    return null
  }
}
