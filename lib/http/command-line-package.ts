import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { notFound } from '../contract/errors'

interface Package {
  bytes: Uint8Array<ArrayBuffer>
  etag: string
}

/** Read once: a build that is made under a running server belongs to its next start. */
let known: Package | null = null

async function readPackage(root: string): Promise<Package> {
  if (known) return known
  const bytes = await readFile(join(root, 'dist', 'gpuq.tgz')).catch(() => {
    throw notFound(
      'The command line is not packed yet. An admin runs `npm run build` for it, then starts the server again.',
    )
  })
  known = {
    bytes: new Uint8Array(bytes),
    etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
  }
  return known
}

/**
 * Answers with the command line as an npm package. It may be kept, but is asked for each time: after an upgrade of the
 * server nobody installs the old one.
 * @param root where the server was built
 * @throws GpuqError not_found where there was no build
 */
export async function answerCommandLine(request: Request, root: string): Promise<Response> {
  const { bytes, etag } = await readPackage(root)
  const headers = { etag, 'cache-control': 'public, no-cache' }
  if (names(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  return new Response(bytes, {
    headers: {
      ...headers,
      'content-type': 'application/gzip',
      'content-disposition': 'attachment; filename="gpuq.tgz"',
    },
  })
}

/** Weakly, as RFC 9110 has it: what lies between may have packed the answer once more. */
function names(given: string | null, etag: string): boolean {
  const tags = (given ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
