import { z } from 'zod'
import { type ErrorCode, GpuqError } from './errors'

/** The body of every error: RFC 9457 problem details. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().describe('the sentence a person reads'),
  code: z.string(),
  errors: z
    .array(
      z.object({
        path: z.string(),
        message: z.string(),
        line: z.number().int().optional(),
        column: z.number().int().optional(),
      }),
    )
    .optional(),
})

export type Problem = z.infer<typeof problemSchema>

export const problemTitles = {
  invalid_request: 'Bad request',
  unauthenticated: 'Not signed in',
  forbidden: 'Not allowed',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  request_timeout: 'Request too slow',
  conflict: 'Conflict',
  payload_too_large: 'Too large',
  unsupported_media_type: 'Unsupported media type',
  invalid_fields: 'Invalid fields',
  rate_limited: 'Too many requests',
  internal_error: 'Internal error',
  unavailable: 'Unavailable',
} as const satisfies Record<ErrorCode, string>

/** The error a stranger sees for something that went wrong here: no detail of it leaves the server. */
export function internalError(reference: string): GpuqError {
  return new GpuqError(
    'internal_error',
    `Something went wrong in gpuq. Tell your admin this reference: ${reference}`,
  )
}
