import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { makePerson, makeToken } from '../access/testing/people'
import { jobOperations } from '../contract/operations/jobs'
import { testDatabase } from '../database/testing/test-database'
import { route } from './route'
import type { ApiRoutes } from './server/answer-api'
import { serveApi } from './server/serve-api'
import { UnidentifiedBodies } from './server/unidentified-bodies'
import { createWebServer, type WebServerOptions } from './server/web-server'
import { receiveUpload } from './upload'

/** Uploads that do not arrive, at the web server of this process: its limits are shorter than those of users. */

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
testDatabase()

let token: string
beforeAll(async () => {
  token = (await makeToken(await makePerson())).token
})

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

interface Limits extends Pick<WebServerOptions, 'stalls' | 'unidentified'> {
  timeoutMs?: number
}

/** Serves the submission of jobs, and one address that answers each user. Returns the port. */
async function listen({ timeoutMs, ...limits }: Limits): Promise<number> {
  const submit = route(jobOperations.submit, async ({ request, actor }) => {
    return receiveUpload(request, actor, async () => new Response(null, { status: 202 }), { timeoutMs })
  })
  const answer = route({ access: 'read' }, ({ actor }) => Response.json(actor.handle))
  const routes: ApiRoutes = new Map([
    ['/api/submit', { POST: submit }],
    ['/api/users/me', { GET: answer }],
  ])
  server = createWebServer(
    async (request, response) => {
      await serveApi(routes, request, response)
    },
    { trustedProxies: [], ...limits },
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const bearer = () => `Authorization: Bearer ${token}`

const head = (...headers: string[]) =>
  [
    'POST /api/submit HTTP/1.1',
    'Host: gpuq.test',
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 100000',
    ...headers,
    '',
    '',
  ].join('\r\n')

/** Sends the beginning of an upload, and then the text `more` again and again. Returns the answer. */
async function send(port: number, begin: string, more?: string): Promise<string> {
  let text = ''
  const socket = connect(port, '127.0.0.1', () => socket.write(`${begin}--`))
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk
    if (text.includes('}')) socket.destroy()
  })
  const sending = more === undefined ? undefined : setInterval(() => socket.write(more), 20)
  await once(socket, 'close')
  clearInterval(sending)
  return text
}

const stalls = { stalledMs: 300, answeredMs: 50 }

it('an upload that stalls is closed, also if its token may come in the rest', async () => {
  const port = await listen({ stalls })
  for (const headers of [[bearer()], []]) {
    const answer = await send(port, head(...headers))
    expect(answer).toMatch(/^HTTP\/1.1 408 [\s\S]*application\/problem\+json/)
    expect(answer).toContain('made no progress for 0.3 seconds')
  }
})

it('an upload that goes on without an end is refused after its time, however steadily it comes', async () => {
  const port = await listen({ timeoutMs: 400 })
  for (const headers of [[bearer()], []]) {
    const answer = await send(port, head(...headers), '--')
    expect(answer).toMatch(/^HTTP\/1.1 408 [\s\S]*application\/problem\+json/)
    expect(answer).toContain('did not arrive within 0.4 seconds')
  }
})

it('many stalled uploads without credentials are refused unread or end, and others are served', async () => {
  const unidentified = new UnidentifiedBodies({ perAddress: 8, inTotal: 16 })
  const port = await listen({ stalls: { ...stalls, stalledMs: 2_000 }, unidentified })
  const uploads = Array.from({ length: 200 }, () => send(port, head()))
  const served = await fetch(`http://127.0.0.1:${port}/api/users/me`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(served.status).toBe(200)
  const statuses = (await Promise.all(uploads)).map((answer) => Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]))
  expect(new Set(statuses)).toEqual(new Set([408, 429]))
})
