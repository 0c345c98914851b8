import type { BlockingJob, FieldError, ProblemExtensions } from '../../contract/errors'
import type { ShortAnswer } from './short-request'

interface ProblemFacts extends ProblemExtensions {
  /** The HTTP status; 0 when no answer came. */
  status: number
  /** One of gpuq's error codes, or `unreachable`, or `unexpected` for an answer that gpuq did not write. */
  code: string
  detail: string
  /** Seconds. */
  retryAfter?: number | null
  cause?: unknown
}

/** A request that gpuq refused or did not answer. `message` and `detail` are the sentence to show to a person. */
export class ProblemError extends Error {
  readonly status: number
  readonly code: string
  readonly errors: readonly FieldError[]
  /** For `never_fits`: the nearest request that fits, where there is one. */
  readonly nearest: ProblemExtensions['nearest']
  /** The user's jobs because of which a limit refuses another. */
  readonly jobs: readonly BlockingJob[]
  /** How many seconds to wait before trying again, where the answer said so. */
  readonly retryAfter: number | null

  constructor(facts: ProblemFacts) {
    super(facts.detail, { cause: facts.cause })
    this.name = 'ProblemError'
    this.status = facts.status
    this.code = facts.code
    this.errors = facts.errors ?? []
    this.nearest = facts.nearest
    this.jobs = facts.jobs ?? []
    this.retryAfter = facts.retryAfter ?? null
  }

  get detail(): string {
    return this.message
  }

  /** True if the same request may succeed later: no answer, too many requests, or an error of the server. */
  get isTemporary(): boolean {
    return (this.status === 0 && this.code !== 'invalid_request') || this.status === 429 || this.status >= 500
  }

  /** What is wrong with one field, where the answer names it. */
  messageFor(path: string): string | undefined {
    return this.errors.find((error) => error.path === path)?.message
  }
}

/** `Retry-After` in seconds: it may hold a number of seconds or a date. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000))
}

/** What the client needs of a problem (RFC 9457). */
type Problem = Pick<ProblemFacts, 'code' | 'detail' | keyof ProblemExtensions>

/** Without zod, which is larger than all other code that every page needs. */
function isProblem(body: unknown): body is Problem {
  if (!hasTexts(body, 'code', 'detail')) return false
  const { errors, jobs, nearest } = body as { errors?: unknown; jobs?: unknown; nearest?: unknown }
  return (
    isListOf(errors, 'path', 'message') &&
    isListOf(jobs, 'job_id', 'status') &&
    (nearest === undefined || (typeof nearest === 'object' && nearest !== null))
  )
}

function isListOf(list: unknown, ...names: string[]): boolean {
  return list === undefined || (Array.isArray(list) && list.every((one) => hasTexts(one, ...names)))
}

function hasTexts(value: unknown, ...names: string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'string')
}

/** The error that a failed response stands for. An answer from something in between, such as a proxy, becomes one too. */
export async function toProblem(response: ShortAnswer): Promise<ProblemError> {
  const { status } = response
  const retryAfter = parseRetryAfter(response.headers.get('retry-after'), Date.now())
  const body: unknown = await response.json().catch(() => null)
  if (isProblem(body)) {
    const { code, detail, errors, nearest, jobs } = body
    return new ProblemError({ status, code, detail, retryAfter, errors, nearest, jobs })
  }
  const words = `${status} ${response.statusText}`.trim()
  return new ProblemError({
    status,
    code: 'unexpected',
    detail: `The server answered ${words}, without saying why. Try again in a moment.`,
    retryAfter,
  })
}

/** An origin that means nothing else to a shell. */
const plainOrigin = /^https?:\/\/[\w.:[\]-]+$/

/**
 * The error for a redirect of the address `asked`. Programs follow none: see `createTransport`. In the browser, which follows them
 * itself, addresses have no origin.
 */
export async function redirected(answer: ShortAnswer, asked: string): Promise<ProblemError> {
  await answer.body?.cancel()
  const from = new URL(asked, 'http://gpuq.invalid')
  const location = answer.headers.get('location') ?? ''
  const { origin, pathname } = URL.canParse(location, from) ? new URL(location, from) : from
  const detail =
    origin !== from.origin && plainOrigin.test(origin)
      ? `The server redirects to ${origin}. If this is your server, use that address: gpuq login --server ${origin}, or GPUQ_SERVER.`
      : `The server redirects to ${pathname}, so this is not the address of gpuq's API. Check the address.`
  return new ProblemError({ status: answer.status, code: 'unexpected', detail })
}

/** The error for a request that got no answer at all. */
export function unreachable(cause: unknown): ProblemError {
  if (isInvalidHeader(cause)) {
    const detail = 'A header of the request has a character that HTTP does not allow. Copy the token again.'
    return new ProblemError({ status: 0, code: 'invalid_request', detail, cause })
  }
  return new ProblemError({
    status: 0,
    code: 'unreachable',
    detail: 'gpuq did not answer. Check the connection and try again.',
    cause,
  })
}

/** Whether a request was never sent, because `fetch` or `node:http` refused the value of a header. */
function isInvalidHeader(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false
  const { message, code }: NodeJS.ErrnoException = error
  return (
    code === 'ERR_INVALID_CHAR' ||
    /invalid header value|ByteString|String contains non ISO-8859-1/i.test(message)
  )
}
