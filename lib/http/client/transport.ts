import { z } from 'zod'
import type { Operation } from '../../contract/operations/operation'
import { ProblemError, toProblem, unreachable } from './problem'

export interface ClientOptions {
  /** Where gpuq is, such as `http://gpu.example.org:8001`; left out in the browser, where the page came from it. */
  baseUrl?: string
  /** Sent as a Bearer token; left out in the browser, where the session's cookie says who it is. */
  token?: string
  /** Another `fetch`, for tests. */
  fetch?: typeof fetch
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

export interface Transport {
  /** Calls and parses the JSON that comes back. */
  json<Schema extends z.ZodType>(path: string, schema: Schema, call?: Call): Promise<z.output<Schema>>
  /** Calls for a list, and reads the way to its other pages from the `Link` header. */
  page<Schema extends z.ZodType>(path: string, item: Schema, call?: Call): Promise<Page<z.output<Schema>>>
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

  const raw = async (path: string, call: Call = {}): Promise<Response> => {
    const send = options.fetch ?? fetch
    let response: Response
    try {
      response = await send(url(path, call.query), toRequest(call, options.token))
    } catch (error) {
      if (call.signal?.aborted) throw error
      throw unreachable(error)
    }
    if (!response.ok) throw await toProblem(response)
    return response
  }
  return {
    url,
    raw,
    json: async (path, schema, call) => parseAnswer(schema, await raw(path, call)),
    page: async (path, item, call) => {
      const response = await raw(path, call)
      const next = parseNextCursor(response.headers.get('link'))
      return { items: await parseAnswer(z.array(item), response), next }
    },
    done: async (path, call) => {
      const response = await raw(path, call)
      await response.body?.cancel()
    },
  }
}

function toSearch(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

function toRequest(call: Call, token: string | undefined): RequestInit & { duplex?: 'half' } {
  const headers = new Headers({ accept: 'application/json', ...call.headers })
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  const { body } = call
  const isStream = body instanceof ReadableStream
  const isBytes = isStream || body instanceof Uint8Array || body instanceof Blob
  const isJson = body !== undefined && !isBytes && !(body instanceof FormData)
  if (isBytes) headers.set('content-type', 'application/octet-stream')
  if (isJson) headers.set('content-type', 'application/json')
  return {
    // fetch itself writes only some methods in capital letters, and PATCH is not one of them.
    method: (call.method ?? 'get').toUpperCase(),
    headers,
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
    ...(isStream && { duplex: 'half' }),
    ...(call.signal ? { signal: call.signal } : {}),
  }
}

async function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  response: Response,
): Promise<z.output<Schema>> {
  const body: unknown = await response.json().catch((error: unknown) => {
    // `fetch` throws a TypeError if the connection breaks within the answer.
    if (error instanceof TypeError) throw unreachable(error)
  })
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new ProblemError({
    status: response.status,
    code: 'unexpected',
    detail:
      'The server sent an answer that this version does not understand. Reload, or update gpuq here or there.',
    cause: parsed.error,
  })
}
