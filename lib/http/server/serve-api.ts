import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isSafeMethod } from '../origin'
import { apiPathOf } from './admit-request'
import { type ApiRoutes, answerApi } from './answer-api'
import { findOperationPath } from './operation-paths'
import { hasBody } from './unidentified-bodies'

/** An answer up to this size is sent with its headers, in one packet. Others are streams. */
const maxBufferedBytes = 256 * 1024

/**
 * Serves the API without Next.js, which takes most of the time of a short request. Returns false if the request asks for
 * something else: a page, or a sign-in action of next-auth.
 * @param prepare called with each request before its handler
 */
export async function serveApi(
  routes: ApiRoutes,
  request: IncomingMessage,
  response: ServerResponse,
  prepare: (request: Request) => void = () => {},
): Promise<boolean> {
  const [path = ''] = request.url?.split('?', 1) ?? []
  if (!isOfApi(apiPathOf(path))) return false
  const asked = toWebRequest(request, response)
  prepare(asked)
  await send(await answerApi(routes, asked, path), response, request.method === 'HEAD')
  return true
}

function isOfApi(path: string): boolean {
  return path.startsWith('/api/') ? !path.startsWith('/api/auth/') : findOperationPath(path) !== undefined
}

function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  const closed = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) closed.abort()
  })
  const scheme = headers.get('x-forwarded-proto')
  const init: RequestInit = { method: request.method ?? 'GET', headers }
  // No operation reads a body of GET, and a Request cannot have one.
  if (hasBody(request) && !isSafeMethod(request.method ?? ''))
    Object.assign(init, { body: Readable.toWeb(request), duplex: 'half' })
  const asked = new Request(new URL(`${scheme}://${headers.get('x-forwarded-host')}${request.url}`), init)
  // A signal given to the constructor is followed by another one, which a garbage collection may detach.
  return Object.defineProperty(asked, 'signal', { value: closed.signal })
}

async function send(answer: Response, response: ServerResponse, isHead: boolean): Promise<void> {
  const length = Number(answer.headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  if (answer.body === null || isHead) {
    response.writeHead(answer.status, headersOf(answer))
    await answer.body?.cancel()
    response.end()
  } else if (length <= maxBufferedBytes) {
    // Before the headers, so that a failure becomes an answer.
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, headersOf(answer)).end(body)
  } else {
    response.writeHead(answer.status, headersOf(answer))
    // A client that closes the connection ends the stream.
    await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response).catch(
      () => {
        response.destroy()
      },
    )
  }
}

function headersOf({ headers }: Response): OutgoingHttpHeaders {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}) }
}
