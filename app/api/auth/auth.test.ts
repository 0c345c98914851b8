import { describe, expect, it, vi } from 'vitest'
import { GET, POST } from './[...nextauth]/route'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))

const at = (nextauth: string[], query = '') => `http://localhost:8001/api/auth/${nextauth.join('/')}${query}`
const get = (nextauth: string[], query = '') =>
  GET(new Request(at(nextauth, query)), { params: Promise.resolve({ nextauth }) })
const post = (nextauth: string[], body: string, type = 'application/x-www-form-urlencoded') =>
  POST(new Request(at(nextauth), { method: 'POST', body, headers: { 'content-type': type } }), {
    params: Promise.resolve({ nextauth }),
  })

describe('the sign-in routes', () => {
  it('serve no log collector, and no other unused action', async () => {
    for (const action of ['_log', 'verify-request', '__proto__', '']) {
      expect((await post([action], '{}', 'application/json')).status).toBe(404)
      expect((await get([action])).status).toBe(404)
    }
  })

  it('redirect to the sign-in page with an error code, never with text from the link', async () => {
    const location = async (query: string) => (await get(['error'], query)).headers.get('location')
    expect(await location('?error=AccessDenied')).toBe('/sign-in?error=AccessDenied')
    expect(await location('?error=Call+0800+to+unlock')).toBe('/sign-in?error=Default')
    expect(await location('?error=a%0d%0aset-cookie:x')).toBe('/sign-in?error=Default')
    expect(await location('')).toBe('/sign-in?error=Default')
  })

  it('reject bodies that are too large or have the wrong type', async () => {
    expect((await post(['callback', 'credentials'], 'x'.repeat(20_000))).status).toBe(413)
    for (const body of ['{', 'null', '1']) {
      expect((await post(['signout'], body, 'application/json')).status).toBe(400)
    }
  })

  it('reject an invalid callbackUrl', async () => {
    for (const address of ['javascript:alert(1)', 'x', 'http://', '%00']) {
      expect((await get(['signin'], `?callbackUrl=${address}`)).status).toBe(400)
    }
  })
})
