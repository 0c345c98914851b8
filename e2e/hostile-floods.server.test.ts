import { randomBytes } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect, it } from 'vitest'
import { expectProblem } from './expect-problem'
import { type Answer, bearer, call } from './http-call'
import { openBarrier, waitAtBarrier } from './program-barrier'
import { sendRaw, statusesOf } from './raw-http'
import { postCredentials, sessionCookie } from './sign-in'
import { countStored } from './stored-data'
import { theSystem } from './system/the-system'
import { adminClient, createUser, type TestUser } from './test-users'
import { configText, longRunning, sendParts, submit, uploadParts, waitingConfig } from './uploads'

/** Requests above the limits. */

/** Headers with which a proxy would name a different client for each request. */
function forwardedFor(): Record<string, string> {
  const address = [...randomBytes(4)].join('.')
  return {
    'x-forwarded-for': address,
    'x-real-ip': address,
    forwarded: `for=${address}`,
    'cf-connecting-ip': address,
  }
}

/** Submits many jobs concurrently, each as a different client. `atOnce` limits the concurrency. */
async function submitAtOnce(person: TestUser, count: number, atOnce = count): Promise<Answer[]> {
  const answers: Answer[] = []
  let sent = 0
  const sendInTurn = async () => {
    while (sent < count) {
      const code = `print(${sent++})`
      answers.push(await sendParts(person, uploadParts(code, waitingConfig), { headers: forwardedFor() }))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sendInTurn))
  return answers
}

const statuses = (answers: Answer[], wanted: number) => answers.filter(({ status }) => status === wanted)

it('a limit of one active job accepts one of 50 concurrent submissions', async () => {
  const person = await createUser({ name: 'active' })
  const answers = await submitAtOnce(person, 50)
  expect(statuses(answers, 202)).toHaveLength(1)
  const refused = statuses(answers, 429)
  expect(refused).toHaveLength(49)
  for (const answer of refused) {
    expectProblem(answer, 429, /1 active job .*limit is 1/)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(answer.headers['ratelimit-limit']).toBe('5')
  }
  expect(await countStored(person.handle)).toEqual({ jobs: 1, projects: 1, keys: 0 })
})

it('a limit of five per minute accepts five of 200 submissions, 40 at a time', async () => {
  const limits = { submissions_per_minute: 5, max_active_jobs: 1000 }
  const person = await createUser({ name: 'rate', limits })
  // All submissions lock the same row: with more concurrency, a slow server would reject the last ones before
  // it checks the limit.
  const answers = await submitAtOnce(person, 200, 40)
  expect(statuses(answers, 202)).toHaveLength(5)
  const refused = statuses(answers, 429)
  expect(refused).toHaveLength(195)
  for (const answer of refused) {
    expectProblem(answer, 429, /5 jobs in the last minute.*limit is 5/)
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(answer.headers['ratelimit-remaining']).toBe('0')
  }
  expect((await countStored(person.handle)).jobs).toBe(5)
})

it('a job that is cancelled while waiting uses no quota', async () => {
  const person = await createUser({ name: 'waits' })
  for (let i = 0; i < 7; i++) {
    const id = await submit(person, 'print(1)', waitingConfig)
    expect((await person.client.jobs.cancel(id)).status).toBe('cancelled')
  }
})

it('fifty retries with one key create one job', async () => {
  const person = await createUser({ name: 'retries' })
  const headers = { 'idempotency-key': 'the-same' }
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => sendParts(person, uploadParts('print(1)', waitingConfig), { headers })),
  )
  expect(new Set(answers.map(({ status, text }) => `${status} ${JSON.parse(text).job_id}`)).size).toBe(1)
  expect(await countStored(person.handle)).toEqual({ jobs: 1, projects: 1, keys: 1 })
})

/** The seconds that a refused sign-in asks to wait; 0 if it does not. */
function waitOf({ text }: Answer): number {
  const refusal = /Too.many.wrong.passwords.*Wait.(\d+).second/.exec(decodeURIComponent(JSON.parse(text).url))
  return Number(refusal?.[1] ?? 0)
}

it('password attempts are limited, and known devices and other users can still sign in', async () => {
  const [victim, neighbour] = [await createUser({ name: 'victim' }), await createUser({ name: 'neighbour' })]
  const device = await sessionCookie(victim)
  expect(device).toContain('gpuq-device=')
  const answers = []
  for (let i = 0; i < 12; i++) answers.push(await postCredentials({ ...victim, password: `guess ${i}` }))
  expect(statuses(answers, 401).length).toBe(12)
  // Each wrong password doubles the delay. A long one does not end before the next attempt, also on a slow machine.
  await expect
    .poll(async () => waitOf(await postCredentials({ ...victim, password: 'a guess' })))
    .toBeGreaterThanOrEqual(8)
  const right = await postCredentials(victim)
  expect(String(right.headers['set-cookie'])).not.toContain('gpuq-session')
  expect(waitOf(right)).toBeGreaterThan(0)
  const known = await postCredentials(victim, {}, device)
  expect(String(known.headers['set-cookie'])).toContain('gpuq-session=')
  expect((await call('/api/users/me', { headers: bearer(victim.token) })).status).toBe(200)
  expect(String((await postCredentials(neighbour)).headers['set-cookie'])).toContain('gpuq-session')
  expect(JSON.stringify((await adminClient().audit.list({ action: 'sign_in_failed' })).items)).not.toContain(
    'guess',
  )
})

it('invitation attempts are limited, and the valid invitation still works', async () => {
  const accept = (token: string) =>
    call('/api/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...forwardedFor() },
      body: JSON.stringify({ token, password: 'a password of ten' }),
      // Other tests send requests without credentials from the usual address.
      from: '127.0.0.80',
    })
  const guesses = await Promise.all(
    Array.from({ length: 80 }, () => accept(randomBytes(32).toString('base64url'))),
  )
  expect(statuses(guesses, 404).length).toBeLessThanOrEqual(60)
  expect(statuses(guesses, 404).length + statuses(guesses, 429).length).toBe(80)
  const handle = `invited-${randomBytes(4).toString('hex')}`
  const { invitation_url } = await adminClient().users.create({ user_id: handle })
  const answer = await accept(invitation_url?.split('/').at(-1) ?? '')
  expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ user_id: handle })])
})

interface Stream {
  status: number
  sent: ClientRequest
}

/** Opens a job's event stream and keeps it open. */
function openStream(person: TestUser, jobId: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const url = `${theSystem().url}/api/jobs/${jobId}/events`
    const sent = request(url, { headers: bearer(person.token), agent: false }, (answer: IncomingMessage) => {
      answer.on('error', () => {})
      answer.resume()
      resolve({ status: answer.statusCode ?? 0, sent })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Returns how many of the concurrent streams are accepted, then closes all of them. */
async function countOpened(person: TestUser, jobId: string, count: number): Promise<number> {
  const streams = await Promise.all(Array.from({ length: count }, () => openStream(person, jobId)))
  for (const { sent } of streams) sent.destroy()
  const opened = streams.filter(({ status }) => status === 200).length
  expect(streams.filter(({ status }) => status === 429)).toHaveLength(count - opened)
  return opened
}

it('event streams are limited, and closed streams free their place', async () => {
  const [person, other] = [await createUser({ name: 'streams' }), await createUser({ name: 'beside' })]
  const id = await submit(person, 'print(1)', waitingConfig)
  for (let round = 0; round < 3; round++) {
    // The server notices closed connections a moment later. Only then is the full limit available again.
    await expect.poll(() => countOpened(person, id, 60)).toBe(32)
  }
  const streams = await Promise.all(Array.from({ length: 40 }, () => openStream(person, id)))
  const othersJob = await submit(other, 'print(1)', waitingConfig)
  const beside = await openStream(other, othersJob)
  expect(beside.status).toBe(200)
  for (const { sent } of [...streams, beside]) sent.destroy()
  expect((await call('/readyz')).status).toBe(200)
})

it('a client that stops waiting for the response does not stop the job', async () => {
  const person = await createUser({ name: 'gone' })
  const headers = { 'idempotency-key': 'left-behind' }
  const controller = new AbortController()
  const waiting = fetch(`${theSystem().url}/api/submit`, {
    method: 'POST',
    headers: { ...bearer(person.token), ...headers },
    body: formOf(`${waitAtBarrier}print("done all the same")`),
    signal: controller.signal,
  }).catch(() => null)
  await expect.poll(async () => (await person.client.jobs.list()).items.length).toBe(1)
  controller.abort()
  await waiting
  const [job] = (await person.client.jobs.list()).items
  expect(['pending', 'running']).toContain(job?.status)
  await openBarrier(job?.job_id ?? '')
  await expect.poll(async () => (await person.client.jobs.get(job?.job_id ?? '')).status).toBe('completed')
})

function formOf(code: string): FormData {
  const form = new FormData()
  form.append('code', new Blob([code]), 'solution.py')
  form.append('config_file', new Blob([configText(longRunning)]), 'config.yaml')
  return form
}

/** More than the server admits at once. */
const manyRequests = 130

it('requests that were answered early and broke off do not exclude anyone from signing in', async () => {
  const early = ['POST /api/tokens HTTP/1.1', 'Host: gpuq.test', 'Content-Length: 1000', '', '{'].join('\r\n')
  const answered = (text: string) => text.includes('\r\n\r\n')
  for (let i = 0; i < manyRequests; i++)
    expect(statusesOf(await sendRaw(early, { enough: answered }))).toEqual([401])
  const csrf = await call('/api/auth/callback/credentials', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'login=x&password=y',
  })
  expect(csrf.status).toBeLessThan(400)
})
