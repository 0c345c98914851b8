import { Readable } from 'node:stream'

/** Makes browsers save the file and never show it: a job may have written anything, including HTML. */
const safe = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
  'cross-origin-resource-policy': 'same-origin',
}

/** Returns a download. `name` contains no separators and no invisible characters. */
export function contentDisposition(
  content: Readable | AsyncIterable<Uint8Array>,
  { name, type }: { name: string; type: string },
): Response {
  const stream = content instanceof Readable ? content : Readable.from(content, { objectMode: false })
  return new Response(Readable.toWeb(stream) as ReadableStream<Uint8Array>, {
    headers: { ...safe, 'content-type': type, 'content-disposition': disposition(name) },
  })
}

/** RFC 6266: the name in ASCII, and also the complete name if it has other characters. */
function disposition(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const whole = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
