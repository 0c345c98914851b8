import { type ErrorCode, type FieldError, GpuqError } from './errors'

/** The body of every error: RFC 9457 problem details. `detail` is the sentence a person reads. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: ErrorCode
  errors?: FieldError[]
}

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
