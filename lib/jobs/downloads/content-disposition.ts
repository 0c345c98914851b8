import { Readable } from 'node:stream'

/** A browser saves these and never shows them: a job may have written anything, HTML included. */
const safe = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
  'cross-origin-resource-policy': 'same-origin',
}

interface Attachment {
  /** What it is called when it is saved; without separators and what cannot be seen. */
  name: string
  type: string
}

/** A download. */
export function contentDisposition(
  content: Readable | AsyncIterable<Uint8Array>,
  { name, type }: Attachment,
): Response {
  const stream = content instanceof Readable ? content : Readable.from(content, { objectMode: false })
  return new Response(Readable.toWeb(stream) as ReadableStream<Uint8Array>, {
    headers: { ...safe, 'content-type': type, 'content-disposition': disposition(name) },
  })
}

/** RFC 6266: the name in ASCII, and where that loses something, the whole name too. */
function disposition(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const whole = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
