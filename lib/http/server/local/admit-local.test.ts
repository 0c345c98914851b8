import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWebServer } from '../web-server'
import { admitLocal, type LocalRules } from './admit-local'

const uid = 1000
const token = 'sixteen letters!'
const open: Omit<LocalRules, 'port'> = {
  tokenHash: null,
  uid,
  findPeer: () => ({ uid, inode: '5' }),
  isOwnSocket: () => false,
}
let rules: LocalRules
let port: number
/** What the handler saw. */
let seen: { right: string; headers: IncomingMessage['headers'] } | null

const server = createWebServer(
  async (request, response) => {
    seen = { right: rights.get(request) ?? '', headers: request.headers }
    response.end('served')
  },
  { trustedProxies: [], admit: (request) => void rights.set(request, admitLocal(request, rules)) },
)
const rights = new WeakMap<IncomingMessage, string>()

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends a request as bytes, and returns the status and the text of the answer. */
async function send(
  line: string,
  headers: string[] = [],
  given: Partial<LocalRules> = {},
  version = '1.1',
): Promise<[number, string]> {
  rules = { ...open, port, ...given }
  seen = null
  const host = headers.some((header) => /^host:/i.test(header)) ? [] : [`Host: localhost:${port}`]
  const text = await new Promise<string>((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        [`${line} HTTP/${version}`, ...host, 'Connection: close', ...headers, '', ''].join('\r\n'),
      ),
    )
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })
  return [Number(text.split(' ', 2)[1]), text]
}

describe('a program of the same Unix user without a token', () => {
  it.each([
    'GET /gpu/status',
    'POST /gpu/initialize',
    'POST /queue/submit',
    'GET /queue',
    'GET /queue?limit=5',
    'DELETE /queue/0190aaaa',
    'PATCH /queue/0190aaaa/priority',
    'POST /orchestrator/start',
    'POST /orchestrator/stop',
    'GET /orchestrator/status',
    'PUT /orchestrator/policy',
  ])('acts as the local owner: %s', async (line) => {
    expect((await send(line, ['Content-Length: 0']))[0]).toBe(200)
    expect(seen?.right).toBe('owner')
  })

  it.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('may name the host %s', async (name) => {
    expect((await send('GET /queue', [`Host: ${name}:${port}`]))[0]).toBe(200)
  })

  it('may open the address by hand in a browser, whose cookies do not count', async () => {
    const [status] = await send('GET /queue', ['Sec-Fetch-Site: none', 'Cookie: session=secret'])
    expect(status).toBe(200)
    expect(seen?.headers.cookie).toBeUndefined()
  })

  it.each([
    'GET /',
    'GET /api/queue',
    'GET /api/users',
    'GET /api/results/0190aaaa',
    'POST /api/submit',
    'GET /sign-in',
    'GET /metrics',
    'GET /queue/',
    'PATCH /queue/0190aaaa/hold',
    'GET /queue/../api/users',
    'GET //queue',
    'GET /gpu/nodes',
    'GET /orchestrator/policy/models',
  ])('finds nothing else of gpuq there: %s', async (line) => {
    const [status, text] = await send(line)
    expect(status).toBe(404)
    expect(text).toContain('has only the queue API')
    expect(seen).toBeNull()
  })
})

describe('a request without a token', () => {
  it.each<[string, string[], Partial<LocalRules>?]>([
    ['from another Unix user', [], { findPeer: () => ({ uid: uid + 1, inode: '5' }) }],
    ['from root', [], { findPeer: () => ({ uid: 0, inode: '5' }) }],
    ['if the Unix user is not known', [], { findPeer: () => null }],
    ['where there are no Unix users', [], { uid: undefined }],
    ['from gpuq itself', [], { isOwnSocket: () => true }],
    ['for another host', ['Host: gpuq.example.org']],
    ['for a name that leads here', ['Host: evil.example:PORT']],
    ['without a port in the host', ['Host: localhost']],
    ['for another port', ['Host: localhost:1']],
    ['with two hosts', ['Host: localhost:PORT', 'Host: localhost:PORT']],
    ['with an empty host', ['Host:']],
    ['from a page of this host', ['Origin: http://localhost:PORT']],
    ['from a page of another site', ['Origin: https://evil.example']],
    ['from a page without an origin', ['Origin: null']],
    ...['same-origin', 'same-site', 'cross-site', ''].map((site): [string, string[]] => [
      `with Sec-Fetch-Site: ${site}`,
      [`Sec-Fetch-Site: ${site}`],
    ]),
    ...[
      'Forwarded',
      'Via',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'X-Forwarded',
      'X-Real-IP',
      'X-Client-IP',
      'X-Cluster-Client-IP',
      'X-Original-For',
      'True-Client-IP',
      'CF-Connecting-IP',
    ].map((name): [string, string[]] => [`with ${name}`, [`${name}: 127.0.0.1`]]),
  ])('is refused %s', async (_name, headers, given = {}) => {
    const sent = headers.map((header) => header.replace('PORT', String(port)))
    const [status, text] = await send('GET /queue', sent, given)
    expect(status).toBe(401)
    expect(text).toContain('X-Auth-Token')
    expect(text).toContain('Authorization')
    expect(seen).toBeNull()
  })

  it('is refused in HTTP/1.0, which proxies speak', async () => {
    const [status, text] = await send('GET /queue', [], {}, '1.0')
    expect([status, text]).toEqual([401, expect.stringContaining('HTTP/1.0 shows a proxy')])
    expect(seen).toBeNull()
  })
})

describe('a token', () => {
  const hash = createHash('sha256').update(token).digest('hex')
  const stranger = { findPeer: () => null }

  it('a token of gpuq is checked as everywhere', async () => {
    for (const header of ['X-Auth-Token: gpuq_x', 'Authorization: Bearer gpuq_x']) {
      expect((await send('GET /queue', [header], stranger))[0]).toBe(200)
      expect(seen?.right).toBe('token')
    }
  })

  it('a token of the variable is needed by everyone if it is set, in X-Auth-Token', async () => {
    const given = { tokenHash: hash }
    expect((await send('GET /queue', [`X-Auth-Token: ${token}`], { ...given, ...stranger }))[0]).toBe(200)
    expect(seen?.right).toBe('owner')
    expect(seen?.headers['x-auth-token']).toBeUndefined()
    for (const headers of [
      [],
      [`Authorization: Bearer ${token}`],
      ['X-Auth-Token: another token of 16'],
      ['X-Auth-Token: '],
      [`X-Auth-Token: ${token}`, `X-Auth-Token: ${token}`],
    ])
      expect(await send('GET /queue', headers, given)).toEqual([
        401,
        expect.stringContaining('RESEARCH_AGENT_USER_AUTH_TOKEN'),
      ])
  })

  it('a token of the variable does not help a page, a proxy or another host', async () => {
    const given = { tokenHash: hash }
    for (const header of ['Origin: http://localhost', 'X-Forwarded-For: 1.2.3.4', 'Host: evil.example'])
      expect((await send('GET /queue', [`X-Auth-Token: ${token}`, header], given))[0]).toBe(401)
  })
})
