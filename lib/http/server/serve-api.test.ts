import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { collectGarbage } from '../../async/testing/collect-garbage'
import type { ApiHandler } from '../route'
import { answerApi } from './answer-api'
import { serveApi } from './serve-api'
import { createWebServer } from './web-server'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Serves one path of the API with the given handler, and everything else as a page. Returns the address. */
async function serve(template: string, handle: ApiHandler, method = 'GET'): Promise<string> {
  const routes = new Map([[template, { [method]: handle }]])
  server = createWebServer(
    async (request, response) => {
      if (!(await serveApi(routes, request, response))) response.end('page')
    },
    { trustedProxies: [] },
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const job = '/api/status/{id}'
const stream = (pull: UnderlyingDefaultSource<Uint8Array>['pull'], cancel = () => {}) =>
  new Response(new ReadableStream({ pull, cancel }))

it('passes method, address, headers and decoded parameters, and sends status, headers and body', async () => {
  const url = await serve(job, async (request, { params }) => {
    const { id } = await params
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-note', request.headers.get('x-note') ?? ''],
    ])
    return Response.json({ id, url: request.url, method: request.method }, { status: 202, headers })
  })
  const answer = await fetch(`${url}/api/status/a%20b?q=%C3%A4`, { headers: { 'x-note': 'hello' } })
  expect(answer.status).toBe(202)
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(answer.headers.get('x-note')).toBe('hello')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await answer.json()).toEqual({ id: 'a b', url: `${url}/api/status/a%20b?q=%C3%A4`, method: 'GET' })
})

it('takes the path as it was sent: "#" and "\\" are parts of a name', async () => {
  const url = await serve(job, async (_, { params }) => Response.json(await params))
  for (const id of ['a#b', 'a\\b', 'a#b%23']) {
    const sending = httpRequest({ port: new URL(url).port, host: '127.0.0.1', path: `/api/status/${id}?x=1` })
    const [answer] = (await once(sending.end(), 'response')) as [IncomingMessage]
    expect(JSON.parse(await text(answer))).toEqual({ id: decodeURIComponent(id) })
  }
})

it('leaves pages and the sign-in of next-auth to Next.js', async () => {
  const url = await serve(job, () => expect.unreachable())
  for (const path of ['/', '/api', '/docs', '/queues', '/api/auth/csrf'])
    expect(await (await fetch(url + path)).text()).toBe('page')
})

it('answers an unknown path of the API with a problem that names it', async () => {
  const url = await serve(job, () => expect.unreachable())
  for (const path of [
    '/api/unknown',
    '/api/auth',
    '/api/status/a/b',
    '/api/%73tatus/a',
    '/queue/a/b/c',
    '/gpu',
  ])
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${url}${path}?x=1`, { method })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
      const detail = `No operation has the path ${path}. /api/openapi.json lists all operations.`
      expect(await answer.json()).toMatchObject({ code: 'not_found', detail })
    }
  const head = await fetch(`${url}/api/unknown`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([404, ''])
})

it('refuses a method that the table does not have with those that the path has, as in development', async () => {
  const routes = new Map([[job, {}]])
  const answer = await answerApi(routes, new Request('http://localhost/api/status/a', { method: 'POST' }))
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' })
})

it('answers HEAD without the body and OPTIONS with the methods', async () => {
  const cancelled = vi.fn()
  const url = await serve(job, async () => stream(() => {}, cancelled))
  const head = await fetch(`${url}/api/status/a`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(cancelled).toHaveBeenCalled()
  const options = async (path: string) => fetch(url + path, { method: 'OPTIONS' })
  const [known, unknown] = [await options('/api/status/a'), await options('/api/unknown')]
  expect([known.status, known.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  const every = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
  expect([unknown.status, unknown.headers.get('allow')]).toEqual([204, every])
})

it('serves the queue API where its clients expect it', async () => {
  const url = await serve('/api/queue/{id}', async (_, { params }) => Response.json(await params))
  expect(await (await fetch(`${url}/queue/a`)).json()).toEqual({ id: 'a' })
  expect(await (await fetch(`${url}/api/queue/a`)).json()).toEqual({ id: 'a' })
})

it('streams bodies in both directions', async () => {
  const echo: ApiHandler = async ({ body }) => new Response(body?.pipeThrough(new TransformStream()))
  const url = await serve('/api/submit', echo, 'POST')
  const { port } = new URL(url)
  const sending = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/api/submit' })
  sending.write('first ')
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  const [first] = await once(answer, 'data')
  expect(String(first)).toBe('first ')
  sending.end('last')
  expect(await text(answer)).toBe('last')
})

it('ignores the body of a GET', async () => {
  const url = await serve(job, async ({ method }) => Response.json({ method }))
  const { port } = new URL(url)
  const sending = httpRequest({
    port,
    host: '127.0.0.1',
    path: '/api/status/a',
    headers: { 'content-length': 4 },
  })
  sending.end('body')
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  expect(await text(answer)).toBe('{"method":"GET"}')
})

it('ends the stream and the signal of a request whose client has gone, also after a garbage collection', async () => {
  const cancelled = vi.fn()
  const aborted = vi.fn()
  const url = await serve(job, async ({ signal }) => {
    signal.addEventListener('abort', aborted)
    return stream((controller) => {
      controller.enqueue(new Uint8Array(10))
      return setTimeout(5)
    }, cancelled)
  })
  const client = new AbortController()
  const answer = await fetch(`${url}/api/status/a`, { signal: client.signal })
  await answer.body?.getReader().read()
  for (let round = 0; round < 3; round++) {
    collectGarbage()
    await setTimeout(20)
  }
  client.abort()
  await vi.waitFor(() => {
    expect(cancelled).toHaveBeenCalled()
    expect(aborted).toHaveBeenCalled()
  })
})

it('breaks the connection off if a body fails, so that nobody takes a part for the whole', async () => {
  const url = await serve(job, async () => {
    let parts = 0
    return stream((controller) => {
      if (parts++ === 3) controller.error(new Error('the file is gone'))
      else controller.enqueue(new Uint8Array(10))
    })
  })
  const answer = await fetch(`${url}/api/status/a`)
  await expect(answer.arrayBuffer()).rejects.toThrow()
})
