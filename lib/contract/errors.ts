/** Every error gpuq answers with, and its HTTP status. The code is for programs, the message for people. */
export const errorStatus = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  invalid_fields: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

export interface FieldError {
  /** Where: a dotted path such as `expected_time`, or `config_file` for the whole part. */
  path: string
  /** What to change. */
  message: string
  /** 1-based place in the YAML text, when there is one. */
  line?: number
  column?: number
}

export interface ErrorOptions {
  /** One entry per mistake, for a 422. */
  errors?: FieldError[]
  /** Seconds until a repeat may succeed: the `Retry-After` header. */
  retryAfterS?: number
  headers?: Record<string, string>
  cause?: unknown
}

/** The one error class. `message` is the sentence a person reads: what is wrong and what to change. */
export class GpuqError extends Error {
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'GpuqError'
    this.errors = options.errors
    this.headers = {
      ...(options.retryAfterS === undefined ? {} : { 'retry-after': String(options.retryAfterS) }),
      ...options.headers,
    }
  }

  get status(): number {
    return errorStatus[this.code]
  }
}

/** A 422 for one field. `sentence` is for people; it names the field. */
export function invalidField(path: string, message: string, sentence = `${path}: ${message}`): GpuqError {
  return new GpuqError('invalid_fields', sentence, { errors: [{ path, message }] })
}
