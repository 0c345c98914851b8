import * as z from 'zod'
import { nearestKey } from './config/names'
import { describeIssue } from './describe-issue'
import { type FieldError, GpuqError } from './errors'
import { leaveOutNulls } from './leave-out-nulls'

/** Parses a request with a schema. A null counts as left out. @throws 422 that names every wrong field. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(leaveOutNulls(schema, input), { error: describeIssue })
  if (parsed.success) return parsed.data
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const errors = parsed.error.issues.flatMap((issue) => toFieldErrors(issue, known))
  const [first] = errors
  const where = first?.path ? `${first.path}: ` : ''
  throw new GpuqError('invalid_fields', `${where}${first?.message ?? 'some fields are wrong'}`, { errors })
}

/** Names an unknown field, with the field that was probably meant. */
function toFieldErrors(issue: z.core.$ZodIssue, known: readonly string[]): FieldError[] {
  const path = issue.path.join('.')
  if (issue.code === 'invalid_key') return [{ path, message: issue.issues[0]?.message ?? issue.message }]
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
  return issue.keys.slice(0, maxUnknownKeys).map((key) => {
    const meant = path === '' ? nearestKey(key, known) : null
    const message = `this field does not exist${meant === null ? '' : `: did you mean "${meant}"?`}`
    return { path: [...issue.path, key.slice(0, 64)].join('.'), message }
  })
}

const maxUnknownKeys = 20
