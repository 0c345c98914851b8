import { gunzipSync } from 'node:zlib'
import { sendRaw } from '../raw-http'

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Only ends a run whose server never answers. */
const hangMs = 90_000

/** The final response in the bytes; null as long as it is not complete. */
function parseAnswer(text: string, closed: boolean): RawAnswer | null {
  const end = text.indexOf('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
  if (end < 0 || !status) return null
  const rest = text.slice(end + 4)
  if (status < 200) return parseAnswer(rest, closed)
  const lines = text.slice(0, end).split('\r\n').slice(1)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = ''] = line.split(/:\s*(.*)/s)
      return [name.toLowerCase(), value]
    }),
  )
  // An event stream may have no end.
  const complete = closed || headers['content-type']?.startsWith('text/event-stream')
  if (!complete) return null
  const body = Buffer.from(headers['transfer-encoding'] === 'chunked' ? joinChunks(rest) : rest, 'latin1')
  const isCompressed = closed && headers['content-encoding'] === 'gzip' && body.length > 0
  return { status, headers, body: (isCompressed ? gunzipSync(body) : body).toString('utf8') }
}

/** The content of a body that arrives in chunks. */
function joinChunks(text: string): string {
  const contents = []
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf('\r\n', at) + 2
    const size = Number.parseInt(text.slice(at, start), 16)
    if (start < 2 || !size) break
    contents.push(text.slice(start, start + size))
    at = start + size + 2
  }
  return contents.join('')
}

/**
 * Sends the bytes of a request that asks for a closed connection. Returns null if the connection was closed without a
 * response.
 * @throws If nothing happens.
 */
export async function exchange(bytes: Buffer, ends: boolean): Promise<RawAnswer | null> {
  let timer: NodeJS.Timeout | undefined
  const hanging = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${hangMs / 1000} s`)), hangMs)
  })
  try {
    const answered = sendRaw(bytes, { half: ends, enough: (text) => parseAnswer(text, false) !== null })
    return parseAnswer(await Promise.race([answered, hanging]), true)
  } finally {
    clearTimeout(timer)
  }
}
