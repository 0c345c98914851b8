import type { ApiHandler } from '../../http/route'

/** A handler's response, as a client reads it. */
export interface Answer {
  status: number
  headers: Headers
  /** The JSON body; null if there is none. */
  body: unknown
}

interface Call {
  method?: string
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown
  token?: string
  cookie?: string
  headers?: Record<string, string>
  params?: Record<string, string>
  /** Aborted when the client leaves. */
  signal?: AbortSignal
}

/** Calls a route's handler like the web server. A call with a cookie counts as same-site. */
export async function call(
  handler: ApiHandler,
  path: string,
  { method = 'GET', body, token, cookie, headers = {}, params = {}, signal }: Call = {},
): Promise<Answer> {
  const sent = new Headers()
  if (token !== undefined) sent.set('authorization', `Bearer ${token}`)
  if (cookie !== undefined) sent.set('cookie', cookie)
  if (cookie !== undefined) sent.set('sec-fetch-site', 'same-origin')
  if (body !== undefined) sent.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(headers)) sent.set(name, value)
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const request = new Request(`http://localhost:8001${path}`, {
    method,
    headers: sent,
    ...(text === undefined ? {} : { body: text }),
    ...(signal && { signal }),
  })
  const response = await handler(request, { params: Promise.resolve(params) })
  const answered = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: answered === '' ? null : JSON.parse(answered),
  }
}

/** Reads all pages of a list by its `Link` headers. */
export async function readPages(
  handler: ApiHandler,
  path: string,
  who: { token?: string; cookie?: string },
): Promise<unknown[][]> {
  const pages: unknown[][] = []
  for (let next: string | null = path; next !== null && pages.length < 100; ) {
    const { body, headers, status }: Answer = await call(handler, next, who)
    if (status !== 200 || !Array.isArray(body)) throw new Error(`${next} returned ${status}, or no list.`)
    pages.push(body)
    const link: string | undefined = headers
      .get('link')
      ?.match(/^<http:\/\/localhost:8001([^>]+)>; rel="next"$/)?.[1]
    next = link ?? null
  }
  return pages
}
