import type { ApiOperation } from './api-document'

/** A request before it is written to a socket. Nothing of it has to be valid. */
export interface FuzzRequest {
  method: string
  path: string
  /** Percent-encoded by whoever adds them, or not. */
  query: string[]
  headers: [name: string, value: string][]
  body: Buffer | undefined
  /** The bytes of the whole request, instead of the fields above. */
  raw?: Buffer
  /** The client ends its side after these bytes: a body that is too short ends at once. */
  ends: boolean
  /** The operation that has the method and the path; undefined if they were changed. */
  operation: ApiOperation | undefined
  /** What was changed. */
  changes: string[]
}

export function setHeader(request: FuzzRequest, name: string, value: string): void {
  removeHeader(request, name)
  request.headers.push([name, value])
}

export function removeHeader(request: FuzzRequest, name: string): void {
  request.headers = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
}

/** The bytes of a request. Header values are written as they are: one byte per character. */
export function encodeRequest({ method, path, query, headers, body, raw }: FuzzRequest): Buffer {
  if (raw) return raw
  const target = query.length > 0 ? `${path}?${query.join('&')}` : path
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  if (body !== undefined && !names.has('content-length') && !names.has('transfer-encoding'))
    lines.push(`Content-Length: ${body.length}`)
  if (!names.has('connection')) lines.push('Connection: close')
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)])
}
