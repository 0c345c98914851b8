/** Every error that gpuq answers with. The code is for programs, the message for people. */
const kinds = {
  invalid_request: { status: 400, title: 'Bad request' },
  unauthenticated: { status: 401, title: 'Not signed in' },
  forbidden: { status: 403, title: 'Not allowed' },
  quota_exceeded: { status: 403, title: 'Quota exceeded' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request too slow' },
  conflict: { status: 409, title: 'Conflict' },
  content_lost: { status: 410, title: 'Content lost' },
  payload_too_large: { status: 413, title: 'Too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  invalid_fields: { status: 422, title: 'Invalid fields' },
  never_fits: { status: 422, title: 'No node has what the job needs' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Unavailable' },
  insufficient_storage: { status: 507, title: 'Insufficient storage' },
} as const

export type ErrorCode = keyof typeof kinds

/** What is wrong with one value of a request. */
export interface FieldError {
  /** A dotted path such as `expected_time`, or `config_file` for the whole part. */
  path: string
  /** What to change. */
  message: string
  /** 1-based place in the YAML text, if there is one. */
  line?: number | undefined
  column?: number | undefined
}

/** What an error says besides its sentence, for programs. */
export interface ProblemExtensions {
  /** One entry per mistake, for a 422. */
  errors?: readonly FieldError[] | undefined
  /** For `never_fits`: the keys of the nearest request that fits; null: leave the key out. */
  nearest?: Readonly<Record<string, NearestValue>> | undefined
  /** The user's own jobs because of which a limit refuses another. */
  jobs?: readonly BlockingJob[] | undefined
}

/** A value of a config that gpuq proposes. */
export type NearestValue = string | number | null

/** A job that counts towards a limit. */
export interface BlockingJob {
  job_id: string
  name: string | null
  status: string
}

/** The body of every error: RFC 9457 problem details. Its schema is in `operations/problem`. */
interface Problem extends ProblemExtensions {
  type: string
  title: string
  status: number
  detail: string
  code: string
}

interface Details extends ProblemExtensions {
  /** Seconds until a repeat may succeed: the `Retry-After` header. */
  retryAfterS?: number
  headers?: Record<string, string>
  cause?: unknown
}

/** The one error class. `message` says what is wrong and what to change. */
export class GpuqError extends Error {
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Record<string, string>
  readonly #extensions: ProblemExtensions

  constructor(
    readonly code: ErrorCode,
    message: string,
    { retryAfterS, headers, cause, ...extensions }: Details = {},
  ) {
    super(message, { cause })
    this.name = 'GpuqError'
    this.#extensions = extensions
    this.errors = extensions.errors
    this.headers = { ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }), ...headers }
  }

  get status(): number {
    return kinds[this.code].status
  }

  toProblem(): Problem {
    const { code, status, message: detail } = this
    return { type: 'about:blank', title: kinds[code].title, status, detail, code, ...this.#extensions }
  }
}

const errorOf = (code: ErrorCode) => (message: string, details?: Details) =>
  new GpuqError(code, message, details)
export const invalidRequest = errorOf('invalid_request')
export const forbidden = errorOf('forbidden')
export const notFound = errorOf('not_found')
export const conflict = errorOf('conflict')
export const contentLost = errorOf('content_lost')
export const payloadTooLarge = errorOf('payload_too_large')

/** The error for too many requests. */
export function rateLimited(message: string, retryAfterS: number): GpuqError {
  return new GpuqError('rate_limited', message, { retryAfterS })
}

/** The error while a part of the system does not respond. */
export function unavailable(message: string, retryAfterS?: number): GpuqError {
  return new GpuqError('unavailable', message, { retryAfterS })
}

/** The error for a client that has left, which ended the work with the reason of its signal. Null for every other error. */
export function clientLeft(error: unknown, { aborted, reason }: AbortSignal): GpuqError | null {
  return aborted && error === reason ? unavailable('The client has closed the connection.', 5) : null
}

/** The error for one wrong field. `sentence` is for people; it names the field. */
export function invalidField(path: string, message: string, sentence = `${path}: ${message}`): GpuqError {
  return new GpuqError('invalid_fields', sentence, { errors: [{ path, message }] })
}

/** The error for a request without valid credentials. */
export function unauthenticated(message: string): GpuqError {
  return new GpuqError('unauthenticated', message, { headers: { 'www-authenticate': 'Bearer realm="gpuq"' } })
}

/** The error for a fault of gpuq itself. Its details are only in the log, under the reference. */
export function internalError(reference: string): GpuqError {
  return new GpuqError(
    'internal_error',
    `Something went wrong in gpuq. Tell your admin this reference: ${reference}`,
  )
}
