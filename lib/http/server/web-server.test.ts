import { once } from 'node:events'
import type { IncomingHttpHeaders, Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { parseAddressRanges } from '../../env/address-ranges'
import { UnidentifiedBodies } from './unidentified-bodies'
import { createWebServer, type RequestHandler, type WebServerOptions } from './web-server'

const stalls = { stalledMs: 200, answeredMs: 50 }
let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function listen(handle: RequestHandler, options: Partial<WebServerOptions> = {}): Promise<number> {
  server = createWebServer(handle, { trustedProxies: [], stalls, ...options }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The number of connections that the server has. */
function connections(): Promise<number> {
  return new Promise((resolve) => server?.getConnections((_, count) => resolve(count)))
}

/** Sends raw bytes, and resolves with all that comes back until the server closes the connection. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })
}

const head = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n')
const get = (...headers: string[]) => head('GET /api/x', 'Connection: close', ...headers)

describe('a request that Next.js must not see', () => {
  const never: RequestHandler = () => expect.unreachable()

  it.each([
    ['a Host that is none', get('Host: :::/@@'), 400],
    ['two Hosts', get('Host: a', 'Host: b'), 400],
    ['an empty Host', get('Host:'), 400],
    ['a forwarded host that is none', get('Host: a', 'X-Forwarded-Host: ['), 400],
    ['an address that does not decode', head('GET /api/%ff', 'Host: a'), 400],
    ['a path from the API to a page', head('POST /api/../sign-in', 'Host: a', 'Content-Length: 0'), 400],
    ['an encoded segment of two dots', head('OPTIONS /api/%2E%2e', 'Host: a'), 400],
    ['a segment of two dots behind a backslash', head('GET /api\\..', 'Host: a'), 400],
    ['another address than a path', head('GET http://a/', 'Host: a'), 400],
    ['TRACE', head('TRACE /', 'Host: a'), 405],
    ['TRACE on the API', head('TRACE /api/auth/session', 'Host: a'), 405],
    ['CONNECT', head('CONNECT a:80', 'Host: a'), 405],
    ['a method that no operation has', head('PUT /api/jobs', 'Host: a'), 405],
    ['a method that another operation has', head('PATCH /api/users/me', 'Host: a'), 405],
    ['a method of no sign-in route', head('PUT /api/auth/session', 'Host: a'), 405],
    ['a missing Host', head('GET /api/x'), 400],
    ['an unknown expectation', get('Host: a', 'Expect: much'), 400],
    ['a header line that is none', get('Host: a', 'X Space: 1'), 400],
    ['headers that are too large', get('Host: a', `X: ${'x'.repeat(20_000)}`), 431],
    ['what is not HTTP', '\x16\x03\x01\x02\r\n\r\n', 400],
    ['a POST to a page', head('POST /sign-in', 'Host: a', 'Content-Length: 0'), 405],
  ])('%s', async (_, text, status) => {
    const answer = await send(await listen(never), text)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain('application/problem+json')
    if (status === 405) expect(answer).toMatch(/^allow: GET, HEAD/im)
  })

  it('a POST to a page whose name is also that of an operation gets the address of the operation', async () => {
    const answer = await send(
      await listen(never),
      head('POST /submit?wait=false', 'Host: a', 'Content-Length: 0'),
    )
    expect(answer).toContain('405')
    expect(answer).toContain('/submit is a page. Send POST to /api/submit instead.')
  })
})

describe('an address of the API with a slash too many', () => {
  it.each([
    ['POST //api/submit', '/api/submit', '//api/submit'],
    ['POST /api/submit/', '/api/submit', '/api/submit/'],
    ['POST /api//submit?wait=60', '/api/submit', '/api//submit'],
    ['GET //api/status/1//', '/api/status/1', '//api/status/1//'],
    ['POST //queue/submit', '/queue/submit', '//queue/submit'],
    ['GET /queue/', '/queue', '/queue/'],
    ['GET //metrics', '/metrics', '//metrics'],
    ['POST //api/jobs/a/b/c', '/api/jobs/a/b/c', '//api/jobs/a/b/c'],
    ['GET /gpuq.py/', '/gpuq.py', '/gpuq.py/'],
  ])('gets an answer that names the right one: %s', async (line, right, wrong) => {
    const port = await listen(() => expect.unreachable())
    const answer = await send(port, head(line, 'Host: a', 'Content-Length: 0'))
    expect(answer).toMatch(/^HTTP\/1.1 404 /)
    expect(answer).toContain(`use ${right} instead of ${wrong}.`)
  })

  it.each(['GET /jobs/', 'GET /', 'GET //host/jobs'])('is not a page: %s', async (line) => {
    const port = await listen(async (_, response) => void response.end('page'))
    expect(await send(port, head(line, 'Host: a', 'Connection: close'))).toMatch(/^HTTP\/1.1 200 /)
  })
})

it('names the carriage return at the end of a token', async () => {
  const port = await listen(() => expect.unreachable())
  const answer = await send(port, get('Host: a', 'Authorization: Bearer x\r'))
  expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*has a carriage return/)
})

it('refuses HEAD without a body, which the client would take for another answer', async () => {
  const port = await listen(() => expect.unreachable())
  const answer = await send(port, head('HEAD /api/tokens/x', 'Host: a'))
  expect(answer).toMatch(/^HTTP\/1.1 405 [\s\S]*\r\n\r\n$/)
})

it('closes a connection whose body breaks the protocol after the beginning of the answer', async () => {
  const port = await listen(async (_, response) => {
    response.writeHead(200, { 'content-length': 9 }).write('part')
  })
  const answer = await send(port, `${head('POST /api/x', 'Host: a', 'Transfer-Encoding: chunked')}zz\r\n`)
  expect(answer).not.toContain('problem+json')
})

describe('the headers that the handler sees', () => {
  async function seen(
    options: Partial<WebServerOptions>,
    ...headers: string[]
  ): Promise<IncomingHttpHeaders> {
    let all: IncomingHttpHeaders = {}
    const port = await listen(async (request, response) => {
      all = request.headers
      response.end()
    }, options)
    await send(port, get(...headers))
    return JSON.parse(JSON.stringify(all).replaceAll(String(port), 'PORT'))
  }

  const claims = [
    'Host: evil.example',
    'X-Forwarded-For: 1.1.1.1, 2.2.2.2, 10.0.0.7',
    'X-Forwarded-Host: gpu.example.org',
    'X-Forwarded-Proto: https',
    'X-Real-IP: 3.3.3.3',
    'Forwarded: for=4.4.4.4',
    'X-Middleware-Subrequest: middleware',
  ]

  it('say nothing of what a client claims', async () => {
    expect(await seen({}, ...claims)).toEqual({
      connection: 'close',
      host: 'evil.example',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'localhost:PORT',
      'x-forwarded-proto': 'http',
    })
  })

  it("have of Next.js' own headers only those that the scripts of the pages send", async () => {
    const router = ['rsc: 1', 'next-router-prefetch: 1', 'next-router-state-tree: x', 'next-url: /jobs']
    const internal = [
      'next-action: a',
      'next-hmr-refresh: 1',
      'next-resume: 1',
      'x-action-forwarded: 1',
      'x-matched-path: /a',
      'x-nextjs-data: 1',
      'x-nextjs-request-id: a',
      'x-next-cache-tags: a',
      'x-now-route-matches: 1',
      'x-prerender-revalidate: a',
      'x-vercel-id: a',
    ]
    const kept = Object.keys(await seen({}, 'Host: a', ...router, ...internal))
    expect(kept.filter((name) => /^(?:rsc|next|x-)/.test(name)).sort()).toEqual([
      'next-router-prefetch',
      'next-router-state-tree',
      'next-url',
      'rsc',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
    ])
  })

  it('say what a trusted proxy knows, and not what its client wrote before it', async () => {
    const trustedProxies = parseAddressRanges('127.0.0.1, 10.0.0.0/8')
    expect(await seen({ trustedProxies }, ...claims)).toMatchObject({
      'x-forwarded-for': '2.2.2.2',
      'x-forwarded-host': 'gpu.example.org',
      'x-forwarded-proto': 'https',
    })
  })

  it.each([
    ['nothing', [], '127.0.0.1'],
    ['no address', ['X-Forwarded-For: unknown'], '127.0.0.1'],
    ['an address behind no address', ['X-Forwarded-For: 1.1.1.1, nobody, 127.0.0.1'], '127.0.0.1'],
    ['IPv4 in IPv6', ['X-Forwarded-For: ::ffff:1.1.1.1'], '1.1.1.1'],
  ])('name one client where a trusted proxy names %s', async (_, headers, client) => {
    const trustedProxies = parseAddressRanges('127.0.0.1')
    expect(await seen({ trustedProxies }, 'Host: a', ...headers)).toMatchObject({ 'x-forwarded-for': client })
  })

  it.each(['localhost:9000', '127.0.0.1:8001'])('keep %s as the way to the server', async (host) => {
    expect(await seen({}, `Host: ${host}`)).toMatchObject({ 'x-forwarded-host': host })
  })
})

it('shows the page again for a form that was sent before its script ran, and leads to no other site', async () => {
  const port = await listen(async () => {
    throw new Error('not reached')
  })
  const form = ['Host: a', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 3']
  const answer = await send(port, `${head('POST /sign-in?next=%2Fjobs', ...form)}a=b`)
  expect(answer).toMatch(/^HTTP\/1.1 303 [\s\S]*^location: \/sign-in\?next=%2Fjobs/im)
  for (const path of ['//evil.example', '/\\\\evil.example']) {
    expect(await send(port, `${head(`POST ${path}`, ...form)}a=b`), path).not.toMatch(/^location:/im)
  }
})

describe('bodies without a token in the headers', () => {
  it('are refused above a number per address, unread, and counted again when one has ended', async () => {
    const unidentified = new UnidentifiedBodies({ perAddress: 2, inTotal: 10 })
    let handled = 0
    const handle: RequestHandler = async (request, response) => {
      handled++
      request.resume().once('end', () => response.end('done'))
    }
    const port = await listen(handle, { unidentified, stalls: { stalledMs: 2_000, answeredMs: 50 } })
    const upload = (...headers: string[]) =>
      head('POST /api/x', 'Host: a', 'Connection: close', 'Content-Length: 3', ...headers)
    const two = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    for (const socket of two) socket.write(`${upload()}a`)
    await expect.poll(() => handled).toBe(2)
    const refused = await send(port, `${upload()}abc`)
    expect(refused).toMatch(/^HTTP\/1.1 429 /)
    expect(refused).toMatch(/^retry-after: 5/im)
    expect(await send(port, `${upload('Cookie: gpuq-session=invalid')}abc`)).toMatch(/^HTTP\/1.1 429 /)
    expect(handled).toBe(2)
    expect(await send(port, `${upload('Authorization: Bearer x')}abc`)).toMatch(/^HTTP\/1.1 200 /)
    expect(await send(port, get('Host: a', 'Content-Length: 0'))).toMatch(/^HTTP\/1.1 200 /)
    for (const socket of two) socket.resume().write('bc')
    await Promise.all(two.map((socket) => once(socket, 'close')))
    expect(await send(port, `${upload()}abc`)).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('the count of bodies without a token in the headers', () => {
  it('goes back if the client leaves after an early answer', async () => {
    const unidentified = new UnidentifiedBodies({ perAddress: 1, inTotal: 1 })
    const handle: RequestHandler = async (_, response) => {
      response.end('unread')
    }
    const port = await listen(handle, { unidentified, stalls: { stalledMs: 60_000, answeredMs: 60_000 } })
    const upload = head('POST /api/x', 'Host: a', 'Content-Length: 100')
    for (let i = 0; i < 3; i++) {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${upload}a`))
      const [answer] = await once(socket, 'data')
      expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
      socket.destroy()
      await expect.poll(() => connections()).toBe(0)
    }
  })
})

describe('a body that stalls', () => {
  const upload = (...headers: string[]) => head('POST /api/x', 'Host: a', 'Content-Length: 100', ...headers)

  it('is closed with a reason', async () => {
    const aborted: boolean[] = []
    const port = await listen(async (request) => {
      request.resume()
      request.once('close', () => aborted.push(!request.complete))
    })
    const answer = await send(port, `${upload()}the start`)
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    expect(answer).toContain('made no progress for 0.2 seconds')
    await expect.poll(() => aborted).toEqual([true])
  })

  it('is closed too while it waits unread for its turn, unless it has a token in the headers', async () => {
    const port = await listen(() => new Promise(() => {}))
    expect(await send(port, `${upload()}the start`)).toMatch(/^HTTP\/1.1 408 /)
    const waits = send(port, `${upload('X-Auth-Token: t')}the start`)
    const open = new Promise((resolve) => setTimeout(() => resolve('open'), 600))
    expect(await Promise.race([waits, open])).toBe('open')
  })

  it('is closed soon after an answer, which arrives whole', async () => {
    const port = await listen(async (_request, response) => {
      response.writeHead(401).end('no')
    })
    const answer = await send(port, `${upload()}the start`)
    expect(answer).toMatch(/^HTTP\/1.1 401 /)
    expect(answer).not.toContain('408')
  })

  it('is not one that comes slowly, one that the server reads late, or a wait for the answer', async () => {
    let read = ''
    const port = await listen(async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      for await (const chunk of request) read += chunk
      await new Promise((resolve) => setTimeout(resolve, 500))
      response.end('done')
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(head('POST /api/x', 'Host: a', 'Connection: close', 'X-Auth-Token: t', 'Content-Length: 20'))
    for (let sent = 0; sent < 20; sent++) {
      socket.write('x')
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
    expect(read).toHaveLength(20)
    socket.destroy()
  })
})

it('answers 500 where the handler fails, and says nothing of the reason', async () => {
  const port = await listen(async () => {
    throw new Error('the secret reason')
  })
  const answer = await send(port, get('Host: a'))
  expect(answer).toMatch(/^HTTP\/1.1 500 /)
  expect(answer).not.toContain('secret')
})
