import { z } from 'zod'
import { reservedHandles } from '../access/users/users'
import { limitsSchema } from '../contract/access/limits'
import { roles } from '../contract/access/roles'
import { label } from '../contract/config/values'
import { idSchema } from '../contract/jobs'
import type { ImportProblem } from './contract'
import { type ImportColumn, importColumns } from './contract-import-file'
import type { CsvRow } from './parse-user-csv'

const number = (schema: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, 'use a whole number')
    .transform(Number)
    .pipe(schema)

const schema = z.object({
  user_id: idSchema.refine(
    (handle) => !reservedHandles.has(handle.toLowerCase()),
    'is reserved, choose another',
  ),
  email: z.email('is not an e-mail address').max(254, 'must be at most 254 characters').optional(),
  name: label(100).optional(),
  role: z
    .string()
    .toLowerCase()
    .pipe(z.enum(roles, `is ${roles.join(' or ')}`))
    .optional(),
  projects: z
    .string()
    .transform((text) => [...new Set(text.split(/[\s,;|]+/).filter(Boolean))])
    .pipe(
      z
        .array(
          z
            .string()
            .regex(/^[A-Za-z0-9._/-]{1,129}$/, 'write PROJECT or OWNER/PROJECT, with spaces between several'),
        )
        .max(20, 'has at most 20 projects'),
    )
    .optional(),
  max_active_jobs: number(limitsSchema.shape.max_active_jobs.unwrap()).optional(),
  max_priority: number(limitsSchema.shape.max_priority.unwrap()).optional(),
})

/** A row whose cells are valid by themselves. */
export type CheckedRow = z.output<typeof schema> & {
  line: number
  /** The user id was made of the e-mail address. */
  derived: boolean
}

/** Checks the cells of a row. Without a user id, it is the part of the e-mail address before the @. */
export function checkRow({ line, cells }: CsvRow): { row: CheckedRow } | { problems: ImportProblem[] } {
  const user_id = cells.user_id ?? userIdOf(cells.email)
  if (user_id === null)
    return { problems: [{ line, column: null, message: 'The row has neither a user_id nor an email.' }] }
  const checked = schema.safeParse({ ...cells, user_id })
  const derived = cells.user_id === undefined
  if (checked.success) return { row: { ...checked.data, line, derived } }
  const problems = checked.error.issues.map(({ path, message }) => {
    const column = String(path[0]) as ImportColumn
    const value = (cells[column] ?? '').slice(0, 40)
    const shown =
      derived && column === 'user_id'
        ? 'no user id can be made of the email: add the column user_id'
        : `“${value}”: ${message}`
    return { line, column: column in importColumns ? column : null, message: shown }
  })
  return { problems }
}

function userIdOf(email: string | undefined): string | null {
  if (email === undefined) return null
  const [local = ''] = email.split('@', 1)
  return local
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
}
