import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../access/testing/people'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { createTargetSchema } from './contract'
import { deliver, deliverNotifications } from './deliver'
import { claimDelivery, deleteOldDeliveries, dueDeliveries, mostAttempts } from './outbox'
import type { RequestOptions } from './send-request'
import { sendTo } from './send-to'
import { createTarget } from './targets'
import { type Received, type Receiver, startReceiver } from './testing/receiver'
import { createWebhookSecret } from './webhook-secret'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const patient: RequestOptions = {
  allowPrivate: true,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
}
let receiver: Receiver
let ada: Person
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, users CASCADE')
  receiver = await startReceiver()
  ada = await makePerson()
})
afterEach(() => receiver.close())

/** Adds a webhook of Ada for all events of her jobs. */
function makeTarget(url = `${receiver.url}/done?key=1`, person = ada) {
  const events = ['job.completed', 'job.failed', 'job.cancelled']
  return createTarget(
    person.actor,
    createTargetSchema.parse({ kind: 'webhook', name: 'a server', url, events }),
  )
}

async function endJob(id: string): Promise<void> {
  await db.pool.query(
    `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 3, name = 'a name', ended_at = now() WHERE id = $1`,
    [id],
  )
}

async function endedJob(spec: Record<string, unknown> = {}, person = ada): Promise<string> {
  const id = await makeJob({ spec, userId: person.id })
  await endJob(id)
  await makeDue()
  return id
}

/** Makes the next attempt due. The column has a resolution of milliseconds and may round up. */
const makeDue = () =>
  db.pool.query(`UPDATE notification_deliveries SET next_try_at = now() - interval '1 second'`)

/** Makes one attempt for everything that is due. */
async function deliverAll(options = patient): Promise<void> {
  for (const { id } of await dueDeliveries(100, 100, 100)) await deliver(id, options)
}

interface Stored {
  attempts: number
  settled: boolean
  status: number | null
  problem: string | null
}

async function stored(): Promise<Stored[]> {
  const { rows } = await db.pool.query<Stored>(
    `SELECT attempts, settled_at IS NOT NULL AS settled, response_status AS status, problem
       FROM notification_deliveries ORDER BY created_at, id`,
  )
  return rows
}

/** Checks the signature as a receiver does. */
function isSignedWith(secret: string, { headers, text }: Received): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(expected)
}

describe('a message about the end of a job', () => {
  it('is written with the end of the job, and delivered once', async () => {
    await makeTarget()
    const id = await endedJob()
    await Promise.all([deliverAll(), deliverAll(), deliverAll()])
    await makeDue()
    await deliverAll()
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]).toMatchObject({
      method: 'POST',
      path: '/done?key=1',
      body: {
        type: 'job.failed',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        job_id: id,
        status: 'failed',
        reason: 'exit_code',
        name: 'a name',
        exit_code: 3,
        ended_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        url: expect.stringMatching(new RegExp(`^https?://.*/jobs/${id}$`)),
        diagnosis: expect.objectContaining({ cause: 'exit_code', next_step: expect.any(String) }),
      },
    })
    expect(await stored()).toEqual([{ attempts: 1, settled: true, status: 204, problem: null }])
  })

  it('is not written if the change is rolled back, or for an event that nobody chose', async () => {
    await makeTarget()
    const id = await makeJob({ userId: ada.id })
    const client = await db.pool.connect()
    await client.query('BEGIN')
    await client.query(
      `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 3, ended_at = now() WHERE id = $1`,
      [id],
    )
    await client.query('ROLLBACK')
    client.release()
    await db.pool.query(`UPDATE notification_targets SET events = '{job.completed}'`)
    await endJob(id)
    expect(await stored()).toEqual([])
  })

  it('goes to the notify_url of a job and to the targets of its owner, and to nobody else', async () => {
    const bob = await makePerson()
    await makeTarget(`${receiver.url}/adas`)
    await makeTarget(`${receiver.url}/bobs`, bob)
    await endedJob({ notify_url: `${receiver.url}/of-the-job` })
    await deliverAll()
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/adas', '/of-the-job'])
  })

  it('is signed when the user has a secret, for a day also with the one before', async () => {
    await makeTarget()
    await endedJob({ notify_url: receiver.url })
    await deliverAll()
    const { secret: first } = await createWebhookSecret(ada.actor)
    await endedJob()
    await deliverAll()
    const { secret: second } = await createWebhookSecret(ada.actor)
    await endedJob()
    await deliverAll()
    await db.pool.query(`UPDATE webhook_secrets SET created_at = now() - interval '25 hours'`)
    await endedJob()
    await deliverAll()
    const [unsigned, alsoUnsigned, ...signed] = receiver.received
    expect([unsigned, alsoUnsigned].map((one) => one?.headers['webhook-signature'])).toEqual([
      undefined,
      undefined,
    ])
    expect(signed.map((one) => [isSignedWith(first, one), isSignedWith(second, one)])).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ])
  })

  it('passes the check that the user guide shows, and a changed one does not', async () => {
    const { secret } = await createWebhookSecret(ada.actor)
    await endedJob({ notify_url: receiver.url })
    await deliverAll()
    const [{ headers, text } = {}] = receiver.received
    const guide = readFileSync('docs/user-guide.md', 'utf8')
    const code = /```python\n(import base64, hashlib, hmac[\s\S]*?)```/.exec(guide)?.[1]
    const run = (body: string, from = headers) =>
      execFileSync('python3', ['-'], {
        input: `${code}
import json
given = json.loads(${JSON.stringify(JSON.stringify({ secret, headers: from, body }))})
try:
    verify(given["secret"], given["headers"], given["body"].encode())
    print("valid")
except ValueError as error:
    print(error)
`,
        encoding: 'utf8',
      }).trim()
    expect(run(text ?? '')).toBe('valid')
    expect(run(`${text} `)).toBe('The signature is wrong.')
    expect(run(text ?? '', { ...headers, 'webhook-timestamp': '1700000000' })).toBe('The message is old.')
  })

  it('about a start is written once, and only after the chosen wait', async () => {
    await makeTarget()
    await db.pool.query(`UPDATE notification_targets SET events = '{job.started}', wait_minutes = 5`)
    const [short, long] = [await makeJob({ userId: ada.id }), await makeJob({ userId: ada.id })]
    await db.pool.query(`UPDATE jobs SET created_at = now() - interval '10 minutes' WHERE id = $1`, [long])
    const start = `UPDATE jobs SET status = 'running', reason = NULL, attempt = attempt + 1, started_at = now() WHERE id = $1`
    for (const id of [short, long]) await db.pool.query(start, [id])
    // An attempt that was preempted is not news.
    await db.pool.query(
      `UPDATE jobs SET status = 'pending', reason = 'no_gpus', started_at = NULL WHERE id = $1`,
      [long],
    )
    await db.pool.query(start, [long])
    await makeDue()
    await deliverAll()
    expect(receiver.received.map(({ body }) => [body.type, body.job_id])).toEqual([['job.started', long]])
  })
})

describe('an attempt that fails', () => {
  it('is repeated with the same webhook-id and growing waits until it succeeds', async () => {
    await makeTarget()
    await endedJob()
    const waits: number[] = []
    for (const status of [500, 429, 200, 200]) {
      receiver.answer = () => ({ status, text: 'why\u0000 not' })
      await deliverAll()
      const { rows } = await db.pool.query<{ wait: number; response: string }>(
        'SELECT extract(epoch FROM next_try_at - now())::float8 AS wait, response FROM notification_deliveries',
      )
      expect(rows[0]?.response).toBe('why\\u{0} not')
      waits.push(rows[0]?.wait ?? 0)
      await deliverAll()
      await makeDue()
    }
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0)
    expect(await stored()).toEqual([{ attempts: 3, settled: true, status: 200, problem: null }])
  })

  it('waits as long as the server asks', async () => {
    await makeTarget()
    await endedJob()
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '900' } })
    await deliverAll()
    const { rows } = await db.pool.query<{ long: boolean }>(
      `SELECT next_try_at > now() + interval '10 minutes' AS long FROM notification_deliveries`,
    )
    expect(rows).toEqual([{ long: true }])
  })

  it('is abandoned after the maximum number of attempts', async () => {
    await makeTarget()
    await endedJob()
    receiver.answer = () => ({ status: 503 })
    for (let attempt = 0; attempt < mostAttempts + 2; attempt++) {
      await deliverAll()
      await makeDue()
    }
    expect(receiver.received).toHaveLength(mostAttempts)
    expect(await stored()).toMatchObject([
      { settled: true, problem: 'The address responded with status 503.' },
    ])
  })

  it.each([[404], [400], [307]])('an attempt that fails with status %i is not repeated', async (status) => {
    await makeTarget()
    await endedJob()
    receiver.answer = () => ({ status, headers: { location: '/elsewhere' } })
    await deliverAll()
    await makeDue()
    await deliverAll()
    expect(receiver.received.map(({ path }) => path)).toEqual(['/done?key=1'])
    expect(await stored()).toMatchObject([
      { attempts: 1, settled: true, problem: expect.stringContaining(`status ${status}`) },
    ])
  })

  it('an attempt that fails with status 410 pauses the target and gives up what waits for it', async () => {
    await makeTarget()
    await endedJob()
    await endedJob()
    receiver.answer = () => ({ status: 410 })
    const [first] = await dueDeliveries(100, 100, 100)
    await deliver(first?.id ?? '', patient)
    expect(await stored()).toMatchObject([{ settled: true }, { settled: true }])
    await endedJob()
    expect(await stored()).toHaveLength(2)
    const { rows } = await db.pool.query('SELECT pause_reason FROM notification_targets')
    expect(rows).toEqual([{ pause_reason: expect.stringContaining('410') }])
  })

  it('because the process was killed is repeated by another one with the same webhook-id', async () => {
    await makeTarget()
    await endedJob()
    const [due] = await dueDeliveries(1, 1, 1)
    const claimed = await claimDelivery(due?.id ?? '')
    if (!claimed) throw new Error('The message was not claimed.')
    // A killed process has sent the request and stores nothing.
    await sendTo(claimed, patient)
    await deliverAll()
    expect(receiver.received).toHaveLength(1)
    await makeDue()
    await deliverAll()
    const [first, second] = receiver.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.text).toBe(first?.text)
    expect(await stored()).toMatchObject([{ attempts: 2, settled: true, problem: null }])
  })

  it('says that the address cannot be decrypted after GPUQ_SECRET has changed', async () => {
    await makeTarget()
    await db.pool.query(`UPDATE notification_targets SET config = '\\x00' || config`)
    await endedJob()
    await deliverAll()
    expect(await stored()).toMatchObject([
      { settled: true, problem: expect.stringContaining('Delete this target and add it again') },
    ])
  })
})

it('a message contains neither code nor values of variables nor credentials in addresses', async () => {
  await makeTarget()
  const id = await makeJob({ spec: { env: { MY_TOKEN: 'a-secret-value' } }, userId: ada.id })
  const task = await placeManually((await makeNode()).nodeId, id)
  const lines = [
    'Traceback (most recent call last):',
    '  File "/work/train.py", line 3, in load',
    '    login("a-secret-value")',
    'ValueError: a-secret-value is wrong for https://ada:gh_abc@git.example.org/?token=abc',
  ]
  const records = lines
    .map((text) => `${JSON.stringify({ type: 'stderr', t: '', text, eol: true })}\n`)
    .join('')
  await db.pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, 0, $2)', [
    task,
    Buffer.from(records),
  ])
  await db.pool.query(
    `UPDATE tasks SET output_bytes = $2, status = 'failed', reason = 'exit_code', exit_code = 3, ended_at = now() WHERE id = $1`,
    [task, Buffer.byteLength(records)],
  )
  await endJob(id)
  await makeDue()
  await deliverAll()
  const [sent] = receiver.received
  expect(sent?.body.diagnosis).toMatchObject({
    error: 'ValueError: … is wrong for https://…@git.example.org/?token=…',
    place: { file: 'train.py', line: 3, function: 'load', code: null },
  })
  expect(sent?.text).not.toMatch(/a-secret-value|gh_abc|=abc/)
})

it('a message is sent in time without the diagnosis if that cannot be read', async () => {
  await makeTarget()
  await endedJob()
  const client = await db.pool.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE')
  try {
    await deliverAll({ ...patient, timeoutMs: 2_000 })
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  expect(receiver.received.map(({ body }) => [body.type, 'diagnosis' in body])).toEqual([
    ['job.failed', false],
  ])
})

describe('an address', () => {
  it('an address that never responds costs one attempt within the time limit', async () => {
    await endedJob({ notify_url: receiver.url })
    receiver.answer = () => null
    await deliverAll({ ...patient, timeoutMs: 100 })
    expect(await stored()).toEqual([
      { attempts: 1, settled: false, status: null, problem: 'The address did not respond in time.' },
    ])
  })

  it('an address without a server is tried again', async () => {
    await endedJob({ notify_url: 'http://127.0.0.1:1/' })
    await deliverAll()
    expect(await stored()).toMatchObject([
      { settled: false, problem: 'No server accepts connections at the address.' },
    ])
  })

  it('an address on this host or a private network is never connected to, in any notation', async () => {
    const { port } = new URL(receiver.url)
    for (const host of [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0',
    ]) {
      await makeTarget(`http://${host}:${port}/`)
      await endedJob({ notify_url: `http://${host}:${port}/` })
      await deliverAll({ ...patient, allowPrivate: false })
      const states = await stored()
      expect(states.length, host).toBeGreaterThan(1)
      for (const state of states)
        expect(state, host).toMatchObject({
          settled: true,
          problem: expect.stringContaining('private network'),
        })
    }
    expect(receiver.received).toEqual([])
  })

  it('an address with one private address among several is refused, and connections use only checked addresses', async () => {
    const mixed = [
      { address: '1.1.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const named = receiver.url.replace('127.0.0.1', 'hook.example.org')
    await endedJob({ notify_url: named })
    await deliverAll({ ...patient, allowPrivate: false, resolve: async () => mixed })
    expect(await stored()).toMatchObject([{ settled: true }])
    expect(receiver.received).toEqual([])

    // The name resolves only once, and the connection must not resolve it again.
    let asked = 0
    const resolve = async () => {
      asked += 1
      return [{ address: '127.0.0.1', family: 4 }]
    }
    await endedJob({ notify_url: named })
    await deliverAll({ ...patient, resolve })
    expect(asked).toBe(1)
    expect(receiver.received).toMatchObject([
      { headers: { host: `hook.example.org:${new URL(receiver.url).port}` } },
    ])
  })
})

it('a target that hangs delays neither other targets of its user nor other users', async () => {
  const bob = await makePerson()
  await makeTarget(`${receiver.url}/silent`)
  await makeTarget(`${receiver.url}/adas`)
  await makeTarget(`${receiver.url}/bobs`, bob)
  for (let one = 0; one < 8; one++) await endedJob({ notify_url: `${receiver.url}/silent?${one}` })
  await endedJob({}, bob)
  receiver.answer = ({ path }) => (path.includes('silent') ? null : { status: 200 })
  const stopped = new AbortController()
  // The timeout is long enough that no silent address is abandoned meanwhile.
  const delivering = deliverNotifications(stopped.signal, { ...patient, signal: stopped.signal })
  const count = (text: string) => receiver.received.filter(({ path }) => path.includes(text)).length
  await expect.poll(() => [count('adas'), count('bobs')], { timeout: 60_000 }).toEqual([8, 1])
  // Two attempts of the silent target, and two of the silent host.
  expect(count('silent')).toBeLessThanOrEqual(4)
  stopped.abort()
  await delivering
})

it('the log forgets old messages, and those beyond the newest thousand, but nothing that waits', async () => {
  await makeTarget()
  for (let one = 0; one < 3; one++) await endedJob()
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM notification_deliveries ORDER BY id')
  await db.pool.query(
    `UPDATE notification_deliveries SET created_at = now() - interval '31 days', settled_at = CASE WHEN id = $1 THEN now() END
      WHERE id = ANY ($2)`,
    [rows[0]?.id, [rows[0]?.id, rows[1]?.id]],
  )
  await deleteOldDeliveries()
  expect(await stored()).toHaveLength(2)
  await db.pool.query(
    `INSERT INTO notification_deliveries (id, user_id, event, data, lane, settled_at)
     SELECT gen_random_uuid(), $1, 'test', '{}', '', now() FROM generate_series(1, 1100)`,
    [ada.id],
  )
  await deleteOldDeliveries()
  // The two that wait: one is among the newest thousand or not, and both stay.
  const left = await stored()
  expect(left.filter(({ settled }) => !settled)).toHaveLength(2)
  expect(left.length).toBeLessThanOrEqual(1002)
})
