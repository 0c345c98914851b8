import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { makePerson, makeToken } from '../access/testing/people'
import { connect, type Database, database, setDatabase } from '../database/client'
import { testDatabase } from '../database/testing/test-database'
import { transaction } from '../database/transaction'
import { logger } from '../logger'
import { type ApiHandler, route } from './route'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

/** One connection, for which nobody waits long. */
let narrow: Database
beforeAll(() => {
  narrow = connect(db.url, 1)
})
afterAll(() => narrow.close())

/** What somebody is answered while somebody else has the only connection. */
async function askWhileBusy(handler: ApiHandler, headers = {}): Promise<Response> {
  // It may take its time to be made.
  narrow.pool.options.connectionTimeoutMillis = 0
  const taken = await narrow.pool.connect()
  narrow.pool.options.connectionTimeoutMillis = 100
  setDatabase(narrow)
  try {
    return await handler(new Request('http://gpuq.test/api/x', { headers }), { params: Promise.resolve({}) })
  } finally {
    setDatabase(db)
    taken.release()
  }
}

const ways: [way: string, ask: () => Promise<unknown>][] = [
  ['a query', () => database().pool.query('SELECT 1')],
  ['a transaction', () => transaction((tx) => tx.query('SELECT 1'))],
  ['Prisma', () => database().prisma.user.count()],
  ["Prisma's transaction", () => database().prisma.$transaction([database().prisma.user.count()])],
]

describe('a request for which no connection is free', () => {
  it.each(ways)('is asked to come again, and is no failure: %s', async (_, ask) => {
    const [failures, warnings] = [vi.spyOn(logger, 'error'), vi.spyOn(logger, 'warn')]
    const handler = route({ access: 'public' }, async () => Response.json(await ask()))
    const answer = await askWhileBusy(handler)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('Try again'),
    })
    expect(failures).not.toHaveBeenCalled()
    expect(warnings).toHaveBeenCalledExactlyOnceWith(
      { method: 'GET', path: '/api/x' },
      expect.stringContaining('GPUQ_DATABASE_CONNECTIONS'),
    )
    vi.restoreAllMocks()
  })

  it('is told so although it cannot be said who asks', async () => {
    const { token } = await makeToken(await makePerson())
    const answer = await askWhileBusy(
      route({ access: 'read' }, async () => Response.json({})),
      { authorization: `Bearer ${token}` },
    )
    expect(answer.status).toBe(503)
  })
})

describe('a request while the database', () => {
  const killed = () => db.pool.query('SELECT pg_terminate_backend(pg_backend_pid())')
  /** A query of Prisma whose connection ends while it waits for a lock. */
  const killedInPrisma = async () => {
    const other = await db.pool.connect()
    await other.query('BEGIN; LOCK TABLE saved_views')
    const asked = db.prisma.savedView.count().then(String)
    asked.catch(() => {})
    await vi.waitFor(
      async () => {
        const { rowCount } = await db.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        expect(rowCount).toBe(1)
      },
      { timeout: 10_000 },
    )
    await other.query('ROLLBACK')
    other.release()
    return asked
  }
  let none: Database
  beforeAll(() => {
    none = connect('postgres://nobody@127.0.0.1:1/none', 1)
  })
  afterAll(() => none.close())

  it.each<[when: string, ask: () => Promise<unknown>]>([
    ['is away, for a query', () => none.pool.query('SELECT 1')],
    ['is away, for Prisma', () => none.prisma.user.count()],
    ['goes away', killed],
    ['goes away, for Prisma', killedInPrisma],
  ])('%s: is asked to come again', async (_, ask) => {
    const failures = vi.spyOn(logger, 'error').mockImplementation(() => {})
    const handler = route({ access: 'public' }, async () => Response.json(await ask()))
    const answer = await handler(new Request('http://gpuq.test/api/x'), { params: Promise.resolve({}) })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await answer.json()).detail).toMatch(
      /^gpuq cannot reach its database .+ tell your admin this reference: \S+$/,
    )
    expect(failures).toHaveBeenCalledOnce()
    vi.restoreAllMocks()
  })
})

it('a query with NUL is refused before a statement could fail', async () => {
  const handler = route({ access: 'public', query: z.object({ text: z.string() }) }, async ({ query }) =>
    Response.json((await database().pool.query('SELECT $1::text', [query.text])).rows),
  )
  const answer = await handler(new Request('http://gpuq.test/api/x?text=a%00b'), {
    params: Promise.resolve({}),
  })
  expect([answer.status, (await answer.json()).detail]).toEqual([
    422,
    'text: must not contain the character NUL',
  ])
})

describe('the rate of changes', () => {
  const ask = (handler: ReturnType<typeof route>, token: string, method = 'POST') =>
    handler(
      new Request('http://gpuq.test/api/x', { method, headers: { authorization: `Bearer ${token}` } }),
      {
        params: Promise.resolve({}),
      },
    )
  const change = route({ access: 'submit' }, () => Response.json({}))
  const frequent = route({ access: 'submit', frequent: true }, () => Response.json({}))

  /** Sends requests until one is refused. Returns the number of those before it, and the refusal. */
  async function untilRefused(handler: typeof change, token: string, most: number) {
    for (let sent = 0; sent <= most; sent++) {
      const answer = await ask(handler, token)
      if (answer.status !== 200) return { sent, answer }
    }
    throw new Error(`none of ${most} requests was refused`)
  }

  it('the rate of changes of a user is limited over all tokens and operations, and does not limit reading or others', async () => {
    const ada = await makePerson()
    const [first, second] = [await makeToken(ada), await makeToken(ada)]
    const { sent, answer } = await untilRefused(change, first.token, 700)
    expect([sent, answer.status]).toEqual([600, 429])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await answer.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringMatching(/600 changes .* limit\. Try again in \d+ seconds, or ask an admin/),
    })
    expect((await ask(change, second.token, 'DELETE')).status).toBe(429)
    expect((await ask(change, first.token, 'GET')).status).toBe(200)
    // Terminal input and uploads of directories are counted separately.
    expect((await ask(frequent, first.token)).status).toBe(200)
    expect((await ask(change, (await makeToken(await makePerson())).token)).status).toBe(200)
  })

  it('is higher for admins and for frequent operations', async () => {
    const admin = await makeToken(await makePerson('admin'), ['submit', 'read', 'admin'])
    expect((await untilRefused(change, admin.token, 6100)).sent).toBe(6000)
    const ada = await makeToken(await makePerson())
    expect((await untilRefused(frequent, ada.token, 6100)).sent).toBe(6000)
  })
})

describe('a client that has left', () => {
  const leaving = () => {
    const client = new AbortController()
    client.abort()
    const request = new Request('http://gpuq.test/api/x')
    Object.defineProperty(request, 'signal', { value: client.signal })
    return request
  }
  const ask = (thrown: (request: Request) => unknown, request = leaving()) =>
    route({ access: 'public' }, () => Promise.reject(thrown(request)))(request, {
      params: Promise.resolve({}),
    })

  it('is no failure', async () => {
    const failures = vi.spyOn(logger, 'error').mockImplementation(() => {})
    const answer = await ask(({ signal }) => signal.reason)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await answer.json()).toMatchObject({
      code: 'unavailable',
      detail: 'The client has closed the connection.',
    })
    expect(failures).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it('hides no other failure', async () => {
    const failures = vi.spyOn(logger, 'error').mockImplementation(() => {})
    expect((await ask(() => new DOMException('aborted by another', 'AbortError'))).status).toBe(500)
    const present = new Request('http://gpuq.test/api/x')
    expect((await ask(() => undefined, present)).status).toBe(500)
    expect(failures).toHaveBeenCalledTimes(2)
    vi.restoreAllMocks()
  })
})

it('calls anything else a failure, and says nothing of it', async () => {
  const failures = vi.spyOn(logger, 'error').mockImplementation(() => {})
  const handler = route({ access: 'public' }, async () =>
    Response.json(await db.pool.query('SELECT secret_of_mine')),
  )
  const answer = await handler(new Request('http://gpuq.test/api/x'), { params: Promise.resolve({}) })
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('secret_of_mine')
  expect(failures).toHaveBeenCalledOnce()
})

it('logs a failure without the token in the path', async () => {
  const failures = vi.spyOn(logger, 'error').mockImplementation(() => {})
  const operation = { access: 'public', path: '/api/shared/{token}/output' } as const
  const handler = route(operation, () => Promise.reject(new Error('the disk is gone')))
  const request = new Request('http://gpuq.test/api/shared/a-secret/output')
  expect((await handler(request, { params: Promise.resolve({ token: 'a-secret' }) })).status).toBe(500)
  expect(failures.mock.lastCall?.[0]).toMatchObject({ method: 'GET', path: '/api/shared/{token}/output' })
  expect(JSON.stringify(failures.mock.calls)).not.toContain('a-secret')
  vi.restoreAllMocks()
})

it('answers HEAD without a body, and closes what the body would be read from', async () => {
  const cancel = vi.fn()
  const file = () =>
    new Response(new ReadableStream({ cancel }), { status: 206, headers: { 'content-length': '9' } })
  const handler = route({ access: 'public' }, file)
  const request = new Request('http://gpuq.test/api/x', { method: 'HEAD' })
  const answer = await handler(request, { params: Promise.resolve({}) })
  expect([answer.status, answer.headers.get('content-length'), answer.body]).toEqual([206, '9', null])
  expect(cancel).toHaveBeenCalledOnce()
})
