import { describe, expect, it } from 'vitest'
import { createClient } from './client'
import { ProblemError, parseRetryAfter } from './problem'
import { parseNextCursor } from './transport'

const summary = {
  job_id: '0190a3b4-0000-7000-8000-000000000001',
  name: null,
  status: 'completed',
  reason: 'finished',
  user_id: 'ada',
  user_name: null,
  competition_id: 'mnist',
  project_id: 'p1',
  environment: 'python',
  node_id: 0,
  node_name: 'lab-1',
  exit_code: 0,
  expected_time: 60,
  created_at: '2026-01-01T00:00:00Z',
  started_at: null,
  completed_at: null,
  terminal: false,
}

/** A client whose server always gives one answer, and the requests that it saw. */
function clientAnswering(answer: () => Response | Promise<Response>, options = {}) {
  const seen: Request[] = []
  const client = createClient({
    baseUrl: 'http://gpuq.test/',
    ...options,
    fetch: async (input, init) => {
      seen.push(new Request(String(input), init))
      return answer()
    },
  })
  return { client, seen }
}

const problem = (status: number, body: object, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers: { 'content-type': 'application/problem+json', ...headers } })

const failureOf = (promise: Promise<unknown>): Promise<ProblemError> =>
  promise.then(
    () => Promise.reject(new Error('it succeeded')),
    (error) => (error instanceof ProblemError ? error : Promise.reject(error)),
  )

describe('problems', () => {
  it('keeps the sentence, the code and the place of each mistake', async () => {
    const errors = [{ path: 'expected_time', message: 'must be more than 0', line: 4, column: 16 }]
    const { client } = clientAnswering(() =>
      problem(422, {
        title: 'Invalid fields',
        status: 422,
        detail: 'Fix it.',
        code: 'invalid_fields',
        errors,
      }),
    )
    const failure = await failureOf(client.jobs.submit({ code: 'print(1)', config: 'x' }))
    expect(failure).toMatchObject({ status: 422, code: 'invalid_fields', message: 'Fix it.', errors })
    expect(failure.messageFor('expected_time')).toBe('must be more than 0')
    expect(failure.messageFor('name')).toBeUndefined()
  })

  it('says how long to wait', async () => {
    const { client } = clientAnswering(() =>
      problem(429, { detail: 'Slow down.', code: 'rate_limited' }, { 'retry-after': '17' }),
    )
    expect((await failureOf(client.jobs.list())).retryAfter).toBe(17)
  })

  it('makes one of an answer that gpuq did not write', async () => {
    const { client } = clientAnswering(
      () => new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' }),
    )
    const failure = await failureOf(client.users.me())
    expect(failure).toMatchObject({ status: 502, code: 'unexpected' })
    expect(failure.detail).toContain('502 Bad Gateway')
    expect(failure.detail).not.toContain('<h1>')
  })

  it('makes one when no answer comes, and none of a request that was given up', async () => {
    const { client } = clientAnswering(() => Promise.reject(new TypeError('fetch failed')))
    expect(await failureOf(client.users.me())).toMatchObject({ status: 0, code: 'unreachable' })

    const gaveUp = new AbortController()
    gaveUp.abort()
    await expect(client.users.me(gaveUp.signal)).rejects.toBeInstanceOf(TypeError)
  })

  it.each(['a\rb', 'a\u2026'])(
    'names a token that no header can have, instead of the connection: %j',
    async (token) => {
      const client = createClient({ baseUrl: 'http://127.0.0.1:1', token })
      const failure = await failureOf(client.users.me())
      expect(failure).toMatchObject({ status: 0, code: 'invalid_request', isTemporary: false })
      expect(failure.message).toContain('Copy the token again.')
    },
  )

  it('refuses a successful answer of the wrong shape', async () => {
    const { client } = clientAnswering(() => Response.json({ user_id: 'ada' }))
    expect(await failureOf(client.users.me())).toMatchObject({ status: 200, code: 'unexpected' })
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    [null, null],
    ['', null],
    ['60', 60],
    ['-3', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Wed, 31 Dec 2025 23:59:30 GMT', 0],
    ['soon', null],
  ])('%j is %j', (header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds)
  })
})

describe('pages', () => {
  it.each([
    [null, null],
    ['</api/jobs?limit=2&cursor=abc%3D>; rel="next"', 'abc='],
    ['<http://h/api/jobs?cursor=a>; rel="prev", <http://h/api/jobs?cursor=b>; rel=next', 'b'],
    ['</api/jobs?cursor=a%2Cb>; title="x, y"; rel="next"', 'a,b'],
    ['</api/jobs?cursor=a>; rel="first"', null],
    ['</api/jobs>; rel="next"', null],
  ])('reads the way on in %j', (header, cursor) => {
    expect(parseNextCursor(header)).toBe(cursor)
  })

  it('carries the filters there and the cursor back', async () => {
    const { client, seen } = clientAnswering(() =>
      Response.json([summary], { headers: { link: '</api/jobs?cursor=c2>; rel="next"' } }),
    )
    const page = await client.jobs.list({ status: 'running', competition_id: 'a b', cursor: 'c1', all: true })
    expect(page).toMatchObject({ items: [{ job_id: summary.job_id }], next: 'c2' })
    const query = new URL(seen[0]?.url ?? '').searchParams
    expect(Object.fromEntries(query)).toEqual({
      status: 'running',
      competition_id: 'a b',
      cursor: 'c1',
      all: 'true',
    })
  })
})

describe('requests', () => {
  it('sends the token, and nothing where the session says who it is', async () => {
    const answer = () => Response.json([])
    const named = clientAnswering(answer, { token: 'gpuq_secret' })
    await named.client.environments.list()
    expect(named.seen[0]?.headers.get('authorization')).toBe('Bearer gpuq_secret')
    const session = clientAnswering(answer)
    await session.client.environments.list()
    expect(session.seen[0]?.headers.has('authorization')).toBe(false)
  })

  it('uploads both files under the names the API documents', async () => {
    const { client, seen } = clientAnswering(() =>
      Response.json({ job_id: summary.job_id, status: 'pending' }, { status: 202 }),
    )
    await client.jobs.submit({ code: 'print("é")', config: 'a: 1\n', idempotencyKey: 'k1' })
    const [request] = seen
    expect(new URL(request?.url ?? '').search).toBe('?wait=false')
    expect(request?.headers.get('idempotency-key')).toBe('k1')
    const form = await request?.formData()
    const [code, config] = [form?.get('code'), form?.get('config_file')]
    if (!(code instanceof File && config instanceof File)) throw new Error('not files')
    expect([code.name, await code.text()]).toEqual(['solution.py', 'print("é")'])
    expect([config.name, await config.text()]).toEqual(['config.yaml', 'a: 1\n'])
  })

  it('keeps an id inside its own part of the path', async () => {
    const { client, seen } = clientAnswering(() => new Response(null, { status: 204 }))
    await client.tokens.revoke('../users/me?x=1#y')
    expect(new URL(seen[0]?.url ?? '').pathname).toBe('/api/tokens/..%2Fusers%2Fme%3Fx%3D1%23y')
    expect(seen[0]?.method).toBe('DELETE')
  })
})
