import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { call } from './http-call'
import { openSocket, sendRaw, statusesOf } from './raw-http'
import { countStored } from './stored-data'
import { theSystem } from './system/the-system'
import { createUser, type TestUser } from './test-users'
import { configText, formBody, formType, uploadParts } from './uploads'

/** Malformed requests that no HTTP library would send. */

const nothing = { jobs: 0, projects: 0, keys: 0 }
const body = () => formBody(uploadParts('print(1)', configText()))

let person: TestUser
beforeAll(async () => {
  person = await createUser({ name: 'sockets' })
})

afterEach(async () => {
  expect((await call('/healthz')).status).toBe(200)
})

/** The head of an upload with these body headers. */
function head(lines: string[], path = '/api/submit?wait=false'): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: gpuq.test',
    `Authorization: Bearer ${person.token}`,
    `Content-Type: ${formType}`,
    ...lines,
    '',
    '',
  ].join('\r\n')
}

/** Sends the head of an upload and the beginning of its body, which the server has begun to handle, and disconnects. */
async function breakOff(length: number, beginning: string | Buffer, path?: string): Promise<void> {
  const socket = await openSocket()
  socket.on('error', () => {})
  socket.write(head([`Content-Length: ${length}`, 'Expect: 100-continue'], path))
  // The server reads the body, or refuses the request.
  await once(socket, 'data')
  await new Promise((resolve) => socket.write(beginning, resolve))
  socket.resetAndDestroy()
}

const chunked = (bytes: Buffer) => `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n0\r\n\r\n`
const answered = (text: string) => /\r\n\r\n.*\}/s.test(text)

it('a body without a length is ignored', async () => {
  const text = await sendRaw(Buffer.concat([Buffer.from(head([])), body()]))
  expect(statusesOf(text)).toEqual([400])
  expect(await countStored(person.handle)).toEqual(nothing)
})

it('a length that is too small, too large or repeated stores nothing', async () => {
  const bytes = body()
  const tooSmall = await sendRaw(
    Buffer.concat([Buffer.from(head([`Content-Length: ${bytes.length - 30}`])), bytes]),
  )
  expect(statusesOf(tooSmall)[0]).toBe(400)
  const tooLarge = Buffer.concat([Buffer.from(head([`Content-Length: ${bytes.length + 30}`])), bytes])
  expect([[], [400]]).toContainEqual(statusesOf(await sendRaw(tooLarge, { half: true })))
  for (const lines of [
    [`Content-Length: ${bytes.length}`, 'Content-Length: 5'],
    [`Content-Length: ${bytes.length}`, 'Transfer-Encoding: chunked'],
    ['Content-Length: -1'],
    ['Content-Length: 0x10'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: gzip, chunked'],
  ]) {
    const [status = 0] = statusesOf(await sendRaw(Buffer.concat([Buffer.from(head(lines)), bytes])))
    expect([400, 501], lines.join()).toContain(status)
  }
  expect(await countStored(person.handle)).toEqual(nothing)
})

it('malformed chunks store nothing', async () => {
  for (const chunks of ['zz\r\nabc\r\n', '-5\r\nabc\r\n', 'ffffffffffffffff\r\nabc\r\n', '5\r\nabc']) {
    const text = await sendRaw(head(['Transfer-Encoding: chunked']) + chunks, { half: true })
    expect([[], [400]], chunks).toContainEqual(statusesOf(text))
  }
  expect(await countStored(person.handle)).toEqual(nothing)
})

it('a client that disconnects during an upload stores nothing', async () => {
  const bytes = body()
  for (const cut of [1, 100, bytes.length - 1]) await breakOff(bytes.length, bytes.subarray(0, cut))
  expect((await call('/readyz')).status).toBe(200)
  expect(await countStored(person.handle)).toEqual(nothing)
})

it('heads that are too large or not HTTP are rejected', async () => {
  const large = await sendRaw(head([`X-Large: ${'x'.repeat(64 * 1024)}`, 'Content-Length: 0']))
  expect(statusesOf(large)).toEqual([431])
  for (const line of ['X-Nul: a\0b', 'X Space: 1', 'X-Folded: a\r\n b\0', ': none']) {
    expect(statusesOf(await sendRaw(head([line, 'Content-Length: 0']))), line).toEqual([400])
  }
  expect(statusesOf(await sendRaw('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'))).toEqual([400])
  expect(statusesOf(await sendRaw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'))).toEqual([400])
})

it('paths that traverse directories, contain NUL or are malformed are rejected', async () => {
  const paths = [
    '/api/status/%00',
    '/api/status/..%2f..%2fetc%2fpasswd',
    '/api/status/%ff%fe',
    '/api/results/..',
    '/../../../etc/passwd',
    '/_next/static/../../../../etc/passwd',
    '/_next/static/..%2f..%2f..%2fpackage.json',
    '//evil.example/',
    '/\\evil.example',
    `/api/status/${'x'.repeat(8000)}`,
    '/api/status/%f0%9f%9a%80',
    "/api/status/'%20OR%201=1--",
  ]
  for (const path of paths) {
    const request = `GET ${path} HTTP/1.1\r\nHost: gpuq.test\r\nAuthorization: Bearer ${person.token}\r\nConnection: close\r\n\r\n`
    const text = await sendRaw(request)
    const [status = 0] = statusesOf(text)
    expect([307, 308, 400, 404], `${path}\n${text}`).toContain(status)
    expect(text).not.toMatch(/root:|"private": true/)
    expect(text, path).not.toMatch(/^location: (https?:)?\/\/(?!127\.0\.0\.1|localhost|gpuq\.test)/im)
  }
})

it('a request for a WebSocket upgrade is not upgraded', async () => {
  for (const path of ['/', '/api/jobs', '/_next/webpack-hmr', '/api/auth/session']) {
    const request = [
      `GET ${path} HTTP/1.1`,
      'Host: gpuq.test',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '',
      '',
    ].join('\r\n')
    const text = await sendRaw(request, { enough: (so) => so.includes('\r\n\r\n') })
    expect(statusesOf(text), path).not.toContain(101)
  }
})

it('unsupported methods change nothing', async () => {
  for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'PUT', 'DELETE', 'PATCH']) {
    const text = await sendRaw(
      `${method} /api/submit HTTP/1.1\r\nHost: gpuq.test\r\nAuthorization: Bearer ${person.token}\r\nConnection: close\r\n\r\n`,
    )
    expect(
      statusesOf(text).filter((status) => status < 400),
      method,
    ).toEqual([])
    expect(text).not.toContain(person.token)
  }
  expect(await countStored(person.handle)).toEqual(nothing)
})

it('a malformed host is refused, and so is TRACE on every path', async () => {
  const ask = async (line: string, ...headers: string[]) => {
    const text = await sendRaw([`${line} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'))
    expect(text).toContain('application/problem+json')
    return statusesOf(text)
  }
  for (const path of ['/', '/api/auth/session', '/api/auth/providers', '/api/jobs']) {
    expect(await ask(`GET ${path}`, 'Host: :::/@@'), path).toEqual([400])
    expect(await ask(`GET ${path}`, 'Host: gpuq.test', 'X-Forwarded-Host: ['), path).toEqual([400])
    expect(await ask(`TRACE ${path}`, 'Host: gpuq.test'), path).toEqual([405])
  }
})

it('a request that is refused before its body has arrived is closed after the answer', async () => {
  // The operation takes no form.
  expect(statusesOf(await sendRaw(`${head(['Content-Length: 100000'], '/api/tokens')}--`))).toEqual([415])
})

it('requests that break off leave no flood in the log', async () => {
  const log = () => readFile(join(theSystem().dataDir, 'web.log'), 'utf8')
  const before = (await log()).length
  for (const path of ['/api/submit', '/api/tokens', '/api/auth/callback/credentials', '/sign-in'])
    await Promise.all(Array.from({ length: 30 }, () => breakOff(1000, '{', path)))
  // A broken connection is noticed before a later request is answered.
  expect((await call('/readyz')).status).toBe(200)
  expect((await log()).slice(before).split('\n').length).toBeLessThan(60)
})

it('a chunked upload with 100-continue is accepted', async () => {
  const text = await sendRaw(
    head(['Transfer-Encoding: chunked', 'Expect: 100-continue', 'Connection: close']) + chunked(body()),
    { enough: answered },
  )
  expect(statusesOf(text)).toEqual([100, 202])
  expect(text.toLowerCase()).toContain('ratelimit-remaining: 4')
})

it('none of these requests is logged as a server error', async () => {
  const web = await readFile(join(theSystem().dataDir, 'web.log'), 'utf8')
  expect(web).toContain('Ready')
  expect(web.split('\n').filter((line) => /request failed|unhandled|uncaught/i.test(line))).toEqual([])
})
