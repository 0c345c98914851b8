import * as z from 'zod'
import type { FieldError } from '../errors'

const fieldErrorSchema: z.ZodType<FieldError> = z.object({
  path: z.string(),
  message: z.string(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
})

/**
 * The body of every error: RFC 9457 problem details. In a file of its own, because the command line uses the errors before it
 * needs zod, which took a third of the time of its start.
 */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().describe('the error as a sentence'),
  code: z.string(),
  errors: z.array(fieldErrorSchema).optional(),
})
