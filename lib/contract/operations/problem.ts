import * as z from 'zod'
import type { BlockingJob, FieldError } from '../errors'
import { nearestSchema } from '../submission/nearest-schema'

const fieldErrorSchema: z.ZodType<FieldError> = z.object({
  path: z.string(),
  message: z.string(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
})

const blockingJobSchema: z.ZodType<BlockingJob> = z.object({
  job_id: z.string(),
  name: z.string().nullable(),
  status: z.string(),
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
  nearest: nearestSchema
    .optional()
    .describe('for `never_fits`: the keys of the nearest request that fits; null: leave the key out'),
  jobs: z
    .array(blockingJobSchema)
    .optional()
    .describe('your jobs because of which a limit refuses another, oldest first'),
})
