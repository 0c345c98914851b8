import type { ImportProblem } from './contract'
import { importColumns } from './contract-import-file'
import { parseUserCsv } from './parse-user-csv'

/** A line that names a user. */
export interface UserLine {
  /** From 1. */
  line: number
  userId: string | undefined
  email: string | undefined
}

interface UserLines {
  users: UserLine[]
  problems: Pick<ImportProblem, 'line' | 'message'>[]
}

/** Reads a list of users: a user id or an e-mail address in each line, or CSV with a header. */
export function readUserLines(text: string): UserLines {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/)
  const first = lines.find((line) => line.trim() !== '') ?? ''
  if (isHeader(first)) {
    const { rows, problems } = parseUserCsv(text)
    const toLine = ({ line, cells }: (typeof rows)[number]): UserLine => ({
      line,
      userId: cells.user_id,
      email: cells.email,
    })
    const empty = rows
      .filter(({ cells }) => cells.user_id === undefined && cells.email === undefined)
      .map(({ line }) => ({ line, message: 'The row has no user_id and no email.' }))
    return { users: rows.map(toLine), problems: [...problems, ...empty] }
  }
  const users = lines.flatMap((text, index): UserLine[] => {
    const name = text.trim()
    if (name === '') return []
    const isEmail = name.includes('@')
    return [{ line: index + 1, userId: isEmail ? undefined : name, email: isEmail ? name : undefined }]
  })
  return { users, problems: [] }
}

/** A line of several cells that names a column of users, or a line that is only such a name. */
function isHeader(line: string): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replaceAll('"', '').toLowerCase())
  const { user_id, email } = importColumns
  const names: readonly string[] =
    cells.length === 1 ? ['user_id', 'email'] : ['user_id', 'email', ...user_id.names, ...email.names]
  return cells.some((cell) => names.includes(cell))
}
