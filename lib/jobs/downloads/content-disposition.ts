import { Readable } from 'node:stream'
import { cachedCheck } from '../../access/credential-validity'
import { unauthenticated } from '../../contract/errors'
import { streamed } from './streamed'

/** Makes browsers save the file and never show it: a job may have written anything, including HTML. */
const safe = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
  'cross-origin-resource-policy': 'same-origin',
}

/** What a download is, and who receives it. */
export interface Download {
  /** Contains no separators and no invisible characters. */
  name: string
  type: string
  /** Whether the reader may still have it. Repeated while it is sent. */
  mayRead: () => Promise<boolean>
  /** Called once, when the download has ended in any way. */
  onEnd?: (() => void) | null
}

interface Sent {
  status?: number
  headers?: Record<string, string>
}

/** Returns a download. It breaks off soon after the reader lost the right to it. */
export function contentDisposition(
  content: AsyncIterable<Uint8Array>,
  { name, type, mayRead, onEnd }: Download,
  { status = 200, headers = {} }: Sent = {},
): Response {
  const end = () => {
    onEnd?.()
    // A generator that nobody has read from does not close what it would read.
    if (content instanceof Readable) content.destroy()
  }
  return new Response(streamed(whileAllowed(content, mayRead), end), {
    status,
    headers: { ...safe, 'content-type': type, 'content-disposition': disposition(name), ...headers },
  })
}

/**
 * Sends nothing more after the right to read ended, however long the answer waited before and however long it takes. The
 * connection breaks, so that the client does not take the part for the whole.
 */
export async function* whileAllowed(
  content: AsyncIterable<Uint8Array>,
  mayRead: () => Promise<boolean>,
): AsyncGenerator<Uint8Array> {
  if (!(await mayRead())) throw rightEnded()
  const isAllowed = cachedCheck(mayRead)
  for await (const part of content) {
    if (!(await isAllowed())) throw rightEnded()
    yield part
  }
}

const rightEnded = () =>
  unauthenticated(
    'The token, session or role with which this download began has ended. Sign in, or use a valid token.',
  )

/** RFC 6266: the name in ASCII, and also the complete name if it has other characters. */
function disposition(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const whole = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
