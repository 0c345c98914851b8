import type { Operation } from '../../contract/operations/operation'
import { ProblemError, redirected, toProblem, unreachable } from './problem'
import type { Send, ShortAnswer, ShortRequest } from './short-request'

export interface ClientOptions {
  /** Where gpuq is, such as `http://gpu.example.org:8001`; left out in the browser, where the page came from it. */
  baseUrl?: string
  /** Sent as a Bearer token; left out in the browser, where the session's cookie says who it is. */
  token?: string
  /** Another `fetch`, for tests. */
  fetch?: typeof fetch
  /** Sends calls whose request and answer are short, instead of `fetch`. */
  send?: Send
}

export type Query = Record<string, string | number | boolean | readonly number[] | null | undefined>

export interface Call {
  method?: Operation['method']
  query?: Query | undefined
  /** Sent as JSON, unless it is a form, bytes, a blob or a stream of bytes. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** Part of a long list. */
export interface Page<Item> {
  items: Item[]
  /** The `cursor` of the page after this one; null where there is none. */
  next: string | null
}

/** Reads the JSON of an answer. @throws if it is not as declared. */
export type Read<Value> = (body: unknown) => Value

export interface Transport {
  /** Calls and reads the JSON that comes back. */
  json<Value>(path: string, read: Read<Value>, call?: Call): Promise<Value>
  /** Calls for a list, and reads the way to its other pages from the `Link` header. */
  page<Item>(path: string, read: Read<Item[]>, call?: Call): Promise<Page<Item>>
  /** Calls where nothing but success is of interest. */
  done(path: string, call: Call): Promise<void>
  /** Returns the response as a stream, for downloads and event streams. */
  raw(path: string, call?: Call): Promise<Response>
  /** The full address of a path. */
  url(path: string, query?: Query): string
}

/** The cursor of the next page, from a `Link` header (RFC 8288). */
export function parseNextCursor(header: string | null): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    const relation = parameters.match(/;\s*rel="?([^";,]+)"?/i)?.[1]
    if (relation?.trim().toLowerCase() !== 'next') continue
    return new URL(target, 'http://gpuq.invalid').searchParams.get('cursor')
  }
  return null
}

/** The part of the client that knows HTTP: addresses, tokens, bodies, problems and pages. */
export function createTransport(options: ClientOptions): Transport {
  const base = (options.baseUrl ?? '').replace(/\/+$/, '')
  const url = (path: string, query: Query = {}) => `${base}${path}${toSearch(query)}`

  // A redirected request would carry the token, or what is uploaded, to another server. A browser sends its cookie only to its own.
  const redirect = options.token === undefined ? 'follow' : 'manual'
  const raw = (path: string, call: Call = {}): Promise<Response> => {
    const address = url(path, call.query)
    return succeed(call, address, () =>
      (options.fetch ?? fetch)(address, { ...toRequest(call, options.token), redirect }),
    )
  }

  const short = (path: string, call: Call = {}): Promise<ShortAnswer> => {
    const { send } = options
    if (send === undefined || !(call.body === undefined || isPlain(call.body))) return raw(path, call)
    const address = url(path, call.query)
    return succeed(call, address, () => send(address, toShortRequest(call, options.token)))
  }
  return {
    url,
    raw,
    json: async (path, read, call) => readAnswer(read, await short(path, call)),
    page: async (path, read, call) => {
      const answer = await short(path, call)
      const next = parseNextCursor(answer.headers.get('link'))
      return { items: await readAnswer(read, answer), next }
    },
    done: async (path, call) => {
      const answer = await short(path, call)
      await answer.body?.cancel()
    },
  }
}

/** @throws ProblemError if there is no answer, or one that is not a success; the reason of the signal if the call is aborted. */
async function succeed<Answer extends ShortAnswer>(
  call: Call,
  address: string,
  request: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer
  try {
    answer = await request()
  } catch (error) {
    if (call.signal?.aborted) throw error
    throw unreachable(error)
  }
  const isRedirect = answer.status >= 300 && answer.status < 400 && answer.headers.get('location') !== null
  if (isRedirect) throw await redirected(answer, address)
  if (!answer.ok) throw await toProblem(answer)
  return answer
}

function toSearch(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

function toRequest(call: Call, token: string | undefined): RequestInit & { duplex?: 'half' } {
  const { body } = call
  if (body === undefined || isPlain(body)) return toShortRequest(call, token)
  const isStream = body instanceof ReadableStream
  const isBytes = isStream || body instanceof Uint8Array || body instanceof Blob
  const { headers, ...request } = toShortRequest({ ...call, body: undefined }, token)
  return {
    ...request,
    headers: isBytes ? { ...headers, 'content-type': 'application/octet-stream' } : headers,
    body: body as BodyInit,
    ...(isStream && { duplex: 'half' }),
  }
}

/** The request of a call without a body, or with one that is sent as JSON. The names of its headers are in small letters. */
function toShortRequest({ body, ...call }: Call, token: string | undefined): ShortRequest {
  const headers: Record<string, string> = { accept: 'application/json', ...call.headers }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (body !== undefined) headers['content-type'] = 'application/json'
  return {
    // fetch itself writes only some methods in capital letters, and PATCH is not one of them.
    method: (call.method ?? 'get').toUpperCase(),
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(call.signal ? { signal: call.signal } : {}),
  }
}

/**
 * Whether a body is sent as JSON. This names no class of `fetch`: Node.js loads `fetch` with the first one, which takes as long as
 * the rest of a short command.
 */
function isPlain(body: unknown): boolean {
  return !/(Blob|File|FormData|ReadableStream|Uint8Array)\]$/.test(Object.prototype.toString.call(body))
}

async function readAnswer<Value>(read: Read<Value>, answer: ShortAnswer): Promise<Value> {
  try {
    return read(await readJson(answer))
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw new ProblemError({
      status: answer.status,
      code: 'unexpected',
      detail:
        'The server sent an answer that this version does not understand. Reload, or update gpuq here or there.',
      cause: error,
    })
  }
}

function readJson(answer: ShortAnswer): Promise<unknown> {
  return answer.json().catch((error: unknown) => {
    // `fetch` throws a TypeError if the connection breaks within the answer.
    throw error instanceof TypeError ? unreachable(error) : error
  })
}
