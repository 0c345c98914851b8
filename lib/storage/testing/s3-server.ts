import { randomInt } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { BucketOptions } from '../s3'
import { patchStoreWrites } from './s3-writes'

export interface S3Server {
  options: BucketOptions
  /** Method and query of every request, in order. */
  requests: string[]
  /** Lists the incomplete multipart uploads that the server keeps. */
  uploads(): Promise<string[]>
  stop(): Promise<void>
}

const bucket = 'gpuq-tests'

/**
 * Starts a real S3 server on the loopback interface. s3rver lacks three features of S3: conditional uploads,
 * aborting and listing multipart uploads. `complete` adds them; without it the server behaves like the many servers
 * with fewer features.
 */
export async function startS3Server({
  complete,
  port = 0,
}: {
  complete: boolean
  port?: number
}): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-s3-'))
  const uploadsDirectory = join(directory, bucket, '._S3rver_uploads')
  const uploads = () => readdir(uploadsDirectory).catch(() => [])
  const server = new S3rver({
    port,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  })
  patchStoreWrites(server.store)
  const requests: string[] = []
  const writing = new Set<string>()
  server.middleware.unshift(async (context, next) => {
    const { method, path, query, headers } = context
    requests.push(
      `${method} ${Object.keys(query)
        .filter((name) => name !== 'x-id')
        .join('&')} ${headers.range ?? ''}`.trim(),
    )
    const key = path.split('/').slice(2).join('/')
    if (!complete || path.split('/')[1] !== bucket) return next()
    if (headers['if-none-match'] === '*' && (method === 'PUT' || 'uploadId' in query)) {
      // S3 answers a concurrent write of the same key with a conflict.
      if (writing.has(key)) return refuse(context, 409, 'ConditionalRequestConflict')
      writing.add(key)
      try {
        const there = await stat(join(directory, bucket, `${key}._S3rver_object`)).catch(() => null)
        if (there) return refuse(context, 412, 'PreconditionFailed')
        return await next()
      } finally {
        writing.delete(key)
      }
    }
    if (method === 'DELETE' && query.uploadId) {
      await rm(join(uploadsDirectory, query.uploadId), { recursive: true })
      context.status = 204
      return
    }
    if (method === 'GET' && 'uploads' in query) {
      context.type = 'application/xml'
      context.body = await listed(uploadsDirectory, await uploads())
      return
    }
    return next()
  })
  const listening = await server.run()
  return {
    options: {
      bucket,
      prefix: 'lab/gpuq/',
      endpoint: `http://127.0.0.1:${listening.port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    requests,
    uploads,
    stop: async () => {
      const closed = server.close()
      server.httpServer.closeAllConnections()
      await closed
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function refuse(
  context: { status: number; type: string; body: unknown },
  status: number,
  code: string,
): void {
  context.status = status
  context.type = 'application/xml'
  context.body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`
}

async function listed(directory: string, ids: string[]): Promise<string> {
  const each = await Promise.all(
    ids.map(async (id) => {
      const key = await readFile(join(directory, id, 'key'), 'utf8')
      const begun = (await stat(join(directory, id, 'key'))).mtime.toISOString()
      return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun}</Initiated></Upload>`
    }),
  )
  return `<?xml version="1.0"?><ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${each.join('')}</ListMultipartUploadsResult>`
}

/**
 * Returns an unused port for a server that is down or starts later. Avoids the ephemeral range, whose ports the
 * system may assign at any time.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
