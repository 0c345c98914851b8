import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StaticFiles } from '@/lib/http/server/static-files'
import { compressStatic } from './compress-static.mjs'

const script = 'console.log(1)\n'.repeat(100)
let directory: string
let server: Server

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-static-'))
  await mkdir(join(directory, 'chunks'))
  await writeFile(join(directory, 'chunks', 'a1.js'), script)
  await writeFile(join(directory, 'font.woff2'), 'a font')
  await compressStatic(directory)
  const files = await StaticFiles.load(directory)
  server = createServer((request, response) => {
    if (!files.serve(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.close()
  await rm(directory, { recursive: true })
})

async function get(path: string, encoding: string, method = 'GET') {
  const { port } = server.address() as AddressInfo
  const options = { port, path, method, headers: { 'accept-encoding': encoding } }
  return new Promise<{
    status: number | undefined
    encoding: string | undefined
    body: Buffer
    keep: string | undefined
  }>((resolve, reject) => {
    send(options, async (response) => {
      const { statusCode: status, headers } = response
      const body = await buffer(response)
      resolve({ status, encoding: headers['content-encoding'], body, keep: headers['cache-control'] })
    })
      .on('error', reject)
      .end()
  })
}

describe('a script of the build', () => {
  it('comes as brotli, or as gzip to a client without it, and is kept by the browser', async () => {
    const best = await get('/_next/static/chunks/a1.js', 'gzip, deflate, br')
    expect(best).toMatchObject({ status: 200, encoding: 'br', keep: expect.stringContaining('immutable') })
    expect(brotliDecompressSync(best.body).toString()).toBe(script)
    const other = await get('/_next/static/chunks/a1.js?v=1', 'gzip, br;q=0')
    expect(other.encoding).toBe('gzip')
    expect(gunzipSync(other.body).toString()).toBe(script)
  })

  it('has no body in an answer to HEAD', async () => {
    const { status, body } = await get('/_next/static/chunks/a1.js', 'br', 'HEAD')
    expect([status, body.length]).toEqual([200, 0])
  })

  it.each([
    ['/_next/static/chunks/a1.js', 'identity'],
    ['/_next/static/chunks/a1.js', 'gzip;q=0'],
    ['/_next/static/chunks/a1.js.br', 'br'],
    ['/_next/static/chunks/../font.woff2', 'br'],
    ['/_next/static/font.woff2', 'br'],
    ['/_next/static/', 'br'],
  ])('is left to Next.js: %s with %s', async (path, encoding) => {
    expect((await get(path, encoding)).status).toBe(404)
  })
})
