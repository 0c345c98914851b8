import { type IncomingHttpHeaders, request } from 'node:http'
import type { Readable } from 'node:stream'
import { theSystem } from './system/the-system'

/** The complete response. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface Call {
  method?: string
  headers?: Record<string, string | string[]>
  body?: Buffer | string | Readable
  /** The client's address in 127.0.0.0/8. Limits per address then do not affect other tests. */
  from?: string
}

/** Sends one request on its own connection, with only the given headers and the length of the body. */
export function call(path: string, { method = 'GET', headers = {}, body, from }: Call = {}): Promise<Answer> {
  const length = typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : undefined
  const sentHeaders = { ...(length === undefined ? {} : { 'content-length': String(length) }), ...headers }
  const options = { method, headers: sentHeaders, agent: false, localAddress: from } as const
  return new Promise((resolve, reject) => {
    const sent = request(`${theSystem().url}${path}`, options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    sent.on('error', reject)
    if (typeof body === 'object' && !Buffer.isBuffer(body)) body.pipe(sent)
    else sent.end(body)
  })
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
