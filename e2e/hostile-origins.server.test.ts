import { beforeAll, expect, it } from 'vitest'
import { allOperations } from '@/lib/contract/operations/operations'
import { expectProblem } from './expect-problem'
import { call } from './http-call'
import { postCredentials, sessionCookie } from './sign-in'
import { countStored } from './stored-data'
import { theSystem } from './system/the-system'
import { createUser, type TestUser } from './test-users'
import { configText, formBody, formType, submit, uploadParts, waitingConfig } from './uploads'

/** Cross-site requests with a browser's session, and headers that only Next.js itself may send. */

const neverWas = '01920000-0000-7000-8000-000000000000'

let person: TestUser
let cookie: string
beforeAll(async () => {
  person = await createUser({ name: 'origins', role: 'admin' })
  cookie = await sessionCookie(person)
})

/** Every operation that changes data, as method and path. */
const changes = allOperations
  .filter(({ method }) => method !== 'get')
  .map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, neverWas),
  }))

const foreign: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1.evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
]

/** The link proves the right. These routes ignore the session. */
const withoutSession = ['/api/invitations', `/api/join/${neverWas}/account`]

it('no cross-site request changes data', async () => {
  const routes = changes.filter(({ path }) => !withoutSession.includes(path))
  expect(routes.length).toBeGreaterThan(10)
  const refuses = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const sent = { cookie, 'content-type': 'application/json', ...headers }
    expectProblem(await call(path, { method, headers: sent, body: '{}' }), 403, /another site/)
  }
  for (const headers of foreign) await refuses('POST', '/api/tokens', headers)
  // One function judges the headers of all routes, so each route gets one of them.
  for (const [at, { method, path }] of routes.entries())
    await refuses(method, path, foreign[at % foreign.length])
})

it("a form on another site cannot submit a job or create a token with the user's session", async () => {
  const headers = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const upload = formBody(uploadParts('print(1)', configText()))
  expectProblem(
    await call('/api/submit', {
      method: 'POST',
      headers: { ...headers, 'content-type': formType },
      body: upload,
    }),
    403,
  )
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', formType]) {
    const form = { method: 'POST', headers: { cookie, 'content-type': type }, body: '{"name":"evil"}' }
    expectProblem(await call('/api/tokens', form), 415, /JSON/)
  }
  expect(await countStored(person.handle)).toEqual({ jobs: 0, projects: 0, keys: 0 })
  expect((await person.client.tokens.list()).items.map(({ name }) => name)).toEqual(['of a test'])
})

it('requests from the same site are accepted', async () => {
  const { url } = theSystem()
  const own: Record<string, string>[] = [{ origin: url }, { 'sec-fetch-site': 'same-origin' }, {}]
  for (const headers of own) {
    const answer = await call('/api/tokens', {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', ...headers },
      body: '{}',
    })
    expectProblem(answer, 422, /name/)
  }
})

it('another site cannot read responses', async () => {
  const paths = [
    '/api/jobs',
    '/api/users/me',
    '/api/auth/session',
    '/api/auth/csrf',
    '/api/openapi.json',
    '/jobs',
  ]
  for (const path of paths) {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await call(path, {
        method,
        headers: { cookie, origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      })
      expect(headers['access-control-allow-origin'], `${method} ${path}`).toBeUndefined()
      expect(headers['access-control-allow-credentials'], `${method} ${path}`).toBeUndefined()
    }
  }
  const page = await call('/sign-in')
  expect(page.headers['x-frame-options']).toBe('DENY')
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
})

it('a GET request changes nothing', async () => {
  const id = await submit(person, 'print(1)', waitingConfig)
  const { items } = await person.client.tokens.list()
  const paths = [
    '/api/submit',
    `/api/cancel/${id}`,
    `/api/cancel/${id}?user_id=${person.handle}`,
    `/api/tokens/${items[0]?.token_id}`,
    `/api/status/${id}?_method=DELETE`,
    '/api/auth/signout',
    '/api/invitations',
    '/api/users/me/password',
  ]
  for (const path of paths) {
    for (const method of ['GET', 'HEAD']) {
      await call(path, { method, headers: { cookie, 'x-http-method-override': 'DELETE' } })
    }
  }
  expect(await person.client.jobs.get(id)).toMatchObject({ status: 'pending', cancel_requested: false })
  expect((await person.client.tokens.list()).items).toHaveLength(items.length)
  expect((await call('/api/users/me', { headers: { cookie } })).status).toBe(200)
  await person.client.jobs.cancel(id)
})

/** Headers that Next.js sends to itself, and headers of proxies. */
const internal: Record<string, string>[] = [
  { 'x-middleware-subrequest': 'middleware:middleware:middleware:middleware:middleware' },
  { 'x-middleware-subrequest': 'src/proxy:src/proxy:src/proxy:src/proxy:src/proxy' },
  { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy' },
  { 'x-middleware-next': '1', 'x-middleware-rewrite': '/api/users' },
  { 'x-middleware-set-cookie': 'gpuq-session=x' },
  { 'x-middleware-override-headers': 'cookie', 'x-middleware-request-cookie': 'x' },
  { 'x-nextjs-data': '1' },
  { 'x-nextjs-rewrite': '/admin/users' },
  { 'x-matched-path': '/admin/users' },
  { 'x-invoke-path': '/api/users', 'x-invoke-status': '200' },
  { 'x-invoke-output': '/admin/users' },
  { 'x-now-route-matches': '1=admin' },
  { 'x-original-url': '/admin/users', 'x-rewrite-url': '/admin/users' },
  { 'x-nonce': "'unsafe-inline'", 'content-security-policy': 'default-src *' },
  { rsc: '1', 'next-router-prefetch': '1', 'next-url': '/admin/users' },
  { 'x-forwarded-user': 'admin', 'x-remote-user': 'admin' },
]

it('Next.js-internal headers from a client bypass no check', async () => {
  for (const headers of internal) {
    const message = JSON.stringify(headers)
    for (const path of ['/api/jobs', '/metrics']) {
      // The router redirects a malformed request of its own protocol to the correct path, which is then
      // rejected.
      expect([307, 401], `${message} ${path}`).toContain((await call(path, { headers })).status)
    }
    for (const path of ['/jobs', '/admin/users']) {
      const page = await call(path, { headers })
      expect([200, 307, 404], `${message} ${path}`).toContain(page.status)
      expect(page.text, message).not.toContain(person.handle)
      if (page.status === 307)
        expect(page.headers.location, message).toMatch(/^\/(sign-in\?|(jobs|admin\/users)\?_rsc=)/)
    }
    const door = await call('/sign-in', { headers })
    expect(door.headers['content-security-policy'], message).toMatch(
      /script-src 'self' 'nonce-[0-9a-f-]{36}'/,
    )
  }
})

it('there are no server actions to call', async () => {
  for (const path of ['/', '/jobs', '/sign-in', '/settings']) {
    for (const type of ['text/plain;charset=UTF-8', 'multipart/form-data; boundary=x']) {
      const answer = await call(path, {
        method: 'POST',
        headers: { cookie, 'next-action': 'a'.repeat(42), 'content-type': type },
        body: type.startsWith('text') ? '[{"__proto__":{"then":"$1:constructor"}}]' : '--x--\r\n',
      })
      expect(answer.status, path).toBeLessThan(500)
      expect(answer.headers['x-action-revalidated'], path).toBeUndefined()
    }
  }
})

it("links point to gpuq's own address, whatever Host header a request has", async () => {
  const { url, adminToken } = theSystem()
  const answer = await call('/api/users', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    },
    body: JSON.stringify({ user_id: `linked-${Date.now()}` }),
  })
  expect(answer.status).toBe(201)
  expect(JSON.parse(answer.text).invitation_url).toMatch(new RegExp(`^${url}/invitations/`))
})

it('a sign-in action that does not support the request is refused with a reason', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const path of ['session', 'providers', 'callback/javascript%3Aalert(1)']) {
    const answer = await call(`/api/auth/${path}`, { method: 'POST', headers: form, body: 'a=b' })
    expectProblem(answer, 400, /does not support/)
  }
})

it('signing in requires a CSRF token, sets a protected cookie, and never redirects elsewhere', async () => {
  const bare = await call('/api/auth/callback/credentials', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ login: person.handle, password: person.password, json: 'true' }).toString(),
  })
  expect(String(bare.headers['set-cookie'])).not.toContain('gpuq-session')
  const signedIn = await postCredentials(person)
  const session = (signedIn.headers['set-cookie'] ?? []).find((line) => line.startsWith('gpuq-session='))
  expect(session).toMatch(/HttpOnly/i)
  expect(session).toMatch(/SameSite=Lax/i)
  for (const goal of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    const away = await call(`/sign-in?next=${encodeURIComponent(goal)}`, { headers: { cookie } })
    expect(away.status, goal).toBe(307)
    expect(away.headers.location, goal).toMatch(/^\/(?![/\\])/)
  }
})
