import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeJob } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { dueNotices, mostNoticeAttempts } from '@/lib/jobs/lifecycle/notifications'
import type { Posting } from './post-notice'
import { sendNotice, sendNotices } from './send-notices'

const db = testDatabase()

interface Received {
  path: string | undefined
  host: string | undefined
  body: unknown
}
let server: Server
let url = ''
let received: Received[] = []
/** The server's response; null: none. */
let answer: (request: IncomingMessage) => { status: number; location?: string } | null
const patient: Posting = { allowPrivate: true, timeoutMs: 60_000, signal: new AbortController().signal }

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, users CASCADE')
  received = []
  answer = () => ({ status: 204 })
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    received.push({ path: request.url, host: request.headers.host, body })
    const given = answer(request)
    if (given) response.writeHead(given.status, given.location ? { location: given.location } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/done?key=1`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function endedJob(notifyUrl = url): Promise<string> {
  const id = await makeJob({ spec: { notify_url: notifyUrl } })
  await db.pool.query('INSERT INTO job_notifications (job_id) VALUES ($1)', [id])
  await later()
  await db.pool.query(
    `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 3, name = 'a name', ended_at = now() WHERE id = $1`,
    [id],
  )
  return id
}

/** Makes one attempt for everything that is due. */
async function sendAll(posting: Posting = patient): Promise<void> {
  for (const notice of await dueNotices(100, 100)) await sendNotice(notice, posting)
}

async function stateOf(jobId: string) {
  const { rows } = await db.pool.query<{ attempts: number; settled: boolean; problem: string | null }>(
    'SELECT attempts, settled_at IS NOT NULL AS settled, problem FROM job_notifications WHERE job_id = $1',
    [jobId],
  )
  return rows[0]
}

/** Makes the next attempt due. The column has a resolution of milliseconds and may round up. */
const later = () => db.pool.query(`UPDATE job_notifications SET next_try_at = now() - interval '1 second'`)

describe('a notice about the end of a job', () => {
  it('is sent once after the job has ended', async () => {
    const id = await endedJob()
    await Promise.all([sendAll(), sendAll(), sendAll()])
    await later()
    await sendAll()
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({
      path: '/done?key=1',
      body: { job_id: id, status: 'failed', reason: 'exit_code', name: 'a name' },
    })
    expect(received[0]?.body).toMatchObject({
      url: expect.stringMatching(new RegExp(`^https?://.*/jobs/${id}$`)),
      ended_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(await stateOf(id)).toEqual({ attempts: 1, settled: true, problem: null })
  })

  it('is not sent earlier', async () => {
    const id = await makeJob({ spec: { notify_url: url } })
    await db.pool.query('INSERT INTO job_notifications (job_id) VALUES ($1)', [id])
    await sendAll()
    expect(received).toEqual([])
  })

  it('is repeated with growing intervals until it is acknowledged', async () => {
    const id = await endedJob()
    const waits: number[] = []
    for (const status of [500, 404, 200, 200]) {
      answer = () => ({ status })
      await sendAll()
      const { rows } = await db.pool.query<{ wait: number }>(
        'SELECT extract(epoch FROM next_try_at - now())::float8 AS wait FROM job_notifications',
      )
      waits.push(rows[0]?.wait ?? 0)
      await sendAll()
      await later()
    }
    expect(received).toHaveLength(3)
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0)
    expect(await stateOf(id)).toEqual({ attempts: 3, settled: true, problem: null })
  })

  it('is abandoned after the maximum number of attempts', async () => {
    const id = await endedJob()
    answer = () => ({ status: 503 })
    for (let attempt = 0; attempt < mostNoticeAttempts + 2; attempt++) {
      await sendAll()
      await later()
    }
    expect(received).toHaveLength(mostNoticeAttempts)
    expect(await stateOf(id)).toMatchObject({
      settled: true,
      problem: 'The address responded with status 503.',
    })
  })

  it('is sent by the next leader if one dies during the attempt', async () => {
    const id = await endedJob()
    const dying = new AbortController()
    answer = () => {
      dying.abort()
      return null
    }
    await sendAll({ ...patient, signal: dying.signal })
    expect(await stateOf(id)).toMatchObject({ attempts: 1, settled: false })
    answer = () => ({ status: 200 })
    await later()
    await sendAll()
    expect(await stateOf(id)).toMatchObject({ attempts: 2, settled: true })
  })
})

describe('an address', () => {
  it('is not followed if it redirects', async () => {
    const id = await endedJob()
    answer = ({ url: path }) =>
      path === '/elsewhere' ? { status: 200 } : { status: 307, location: '/elsewhere' }
    await sendAll()
    expect(received.map(({ path }) => path)).toEqual(['/done?key=1'])
    expect(await stateOf(id)).toEqual({
      attempts: 1,
      settled: false,
      problem: 'The address responded with status 307.',
    })
  })

  it('that never responds costs one attempt within the time limit', async () => {
    const id = await endedJob()
    answer = () => null
    await sendAll({ ...patient, timeoutMs: 100 })
    expect(await stateOf(id)).toEqual({
      attempts: 1,
      settled: false,
      problem: 'The address did not respond in time.',
    })
  })

  it('without a server is retried', async () => {
    const id = await endedJob('http://127.0.0.1:1/')
    await sendAll()
    expect(await stateOf(id)).toEqual({
      attempts: 1,
      settled: false,
      problem: 'No server accepts connections at the address.',
    })
  })

  it('on this host or a private network is never connected to, in any notation', async () => {
    const port = new URL(url).port
    const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0']
    for (const host of hosts) {
      const id = await endedJob(`http://${host}:${port}/`)
      await sendAll({ ...patient, allowPrivate: false })
      expect(await stateOf(id), host).toMatchObject({
        settled: true,
        problem: expect.stringContaining('private network'),
      })
    }
    expect(received).toEqual([])
  })

  it('with one private address among several is refused, and connections use only checked addresses', async () => {
    const mixed = [
      { address: '1.1.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const named = url.replace('127.0.0.1', 'hook.example.org')
    const refused = await endedJob(named)
    await sendAll({ ...patient, allowPrivate: false, resolve: async () => mixed })
    expect(await stateOf(refused)).toMatchObject({ settled: true })
    expect(received).toEqual([])

    // The name resolves only once, and the connection must not resolve it again.
    let asked = 0
    const resolve = async () => {
      asked += 1
      return [{ address: '127.0.0.1', family: 4 }]
    }
    await endedJob(named)
    await sendAll({ ...patient, resolve })
    expect(asked).toBe(1)
    expect(received).toMatchObject([{ host: `hook.example.org:${new URL(url).port}` }])
  })
})

it('does not delay others if one user has many addresses that do not respond', async () => {
  const user = await makeJob({ spec: {} })
  const { rows } = await db.pool.query<{ user_id: string }>('SELECT user_id FROM jobs WHERE id = $1', [user])
  const silent: string[] = []
  for (let one = 0; one < 8; one++) silent.push(await endedJob(`${url}&silent=${one}`))
  await db.pool.query('UPDATE jobs SET user_id = $1', [rows[0]?.user_id])
  await endedJob()
  answer = ({ url: path }) => (path?.includes('silent') ? null : { status: 200 })
  const stopped = new AbortController()
  // The timeout is long enough that no silent address is abandoned meanwhile.
  const telling = sendNotices(stopped.signal, { ...patient, timeoutMs: 60_000, signal: stopped.signal })
  await expect.poll(() => received.some(({ path }) => path === '/done?key=1'), { timeout: 60_000 }).toBe(true)
  expect(received.length).toBeLessThanOrEqual(5)
  stopped.abort()
  await telling
})
