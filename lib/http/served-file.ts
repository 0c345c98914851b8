import { createHash } from 'node:crypto'

/** A file that everyone may download, as it is sent. */
export interface ServedFile {
  bytes: Uint8Array<ArrayBuffer>
  etag: string
}

export function toServedFile(content: Uint8Array): ServedFile {
  const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`
  return { bytes: new Uint8Array(content), etag }
}

/**
 * Answers with a file, or with 304 if the client has it. Caches may store the file, but must revalidate it each time:
 * after an upgrade of the server nobody gets the old one.
 * @param name the name under which browsers save the file; without it, they show the file
 */
export function answerFile(
  request: Request,
  { bytes, etag }: ServedFile,
  type: string,
  name?: string,
): Response {
  const headers = { etag, 'cache-control': 'public, no-cache' }
  if (matches(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  return new Response(bytes, {
    headers: {
      ...headers,
      'content-type': type,
      ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"` }),
    },
  })
}

/** The weak comparison of RFC 9110: a proxy may have compressed the response. */
function matches(given: string | null, etag: string): boolean {
  const tags = (given ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
