import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Send, ShortAnswer, ShortRequest } from '@/lib/http/client/short-request'

/** As `fetch` waits for a part of an answer. */
const silenceMs = 300_000

/**
 * Sends a request with `node:http`. Loading `fetch` takes Node.js 100 ms of CPU time, more than everything else that `gpuq jobs`
 * does. It follows no redirect: the client refuses them.
 */
export const sendRequest: Send = async (url, given) => {
  const response = await requestOnce(url, given).catch((error: unknown) => {
    // The server may close an idle connection at the moment of the request. A read can be repeated.
    if (given.method === 'GET' && error instanceof StaleConnection) return requestOnce(url, given)
    throw error
  })
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
  const text = await readText(response, given)
  const answer: ShortAnswer = {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    headers: { get: (name) => [headers[name.toLowerCase()] ?? []].flat().join(', ') || null },
    json: async () => JSON.parse(text),
  }
  return answer
}

/** A kept connection that the server had closed. */
class StaleConnection extends TypeError {}

/** Resolves with the beginning of the answer. */
function requestOnce(url: string, { method, headers, body, signal }: ShortRequest): Promise<IncomingMessage> {
  // An import of node:http also makes its WebSocket, and with it loads fetch.
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const options: RequestOptions = { method, headers, timeout: silenceMs, ...(signal && { signal }) }
  return new Promise((resolve, reject) => {
    const sent = request(url, options, resolve)
    sent.on('timeout', () => sent.destroy(new Error('The server did not answer in time.')))
    sent.on('error', (error) => reject(toFetchError(error, signal, sent.reusedSocket)))
    sent.end(body)
  })
}

async function readText(response: IncomingMessage, { signal }: ShortRequest): Promise<string> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk
  } catch (error) {
    throw toFetchError(error, signal, false)
  }
  return text
}

/** The error that `fetch` would throw. */
function toFetchError(error: unknown, signal: AbortSignal | undefined, reused: boolean): unknown {
  if (signal?.aborted) return signal.reason
  const stale = reused && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
  return new (stale ? StaleConnection : TypeError)('fetch failed', { cause: error })
}
