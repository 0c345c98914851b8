import { beforeEach, expect, it, vi } from 'vitest'
import { call, readPages } from '../access/testing/call'
import { findStored, makePerson, makeToken, type Person } from '../access/testing/people'
import { testDatabase } from '../database/testing/test-database'
import type { Delivery, Notifications, NotificationTarget } from './contract'
import { deliver } from './deliver'
import { notificationRoutes } from './routes'
import { type Receiver, startReceiver } from './testing/receiver'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const webhook = {
  kind: 'webhook',
  name: 'my server',
  url: 'https://example.org/hook/hidden-path?key=hidden-key',
  events: ['job.failed', 'job.failed'],
}
const none = '01920000-0000-7000-8000-000000000000'
let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
beforeEach(async () => {
  await db.pool.query('TRUNCATE users CASCADE')
  ;[ada, bob, admin] = await Promise.all([makePerson(), makePerson(), makePerson('admin')])
})

const create = (body: unknown, { cookie } = ada) =>
  call(notificationRoutes.createTarget, '/api/notifications/targets', { method: 'POST', body, cookie })
const read = async ({ cookie } = ada) =>
  (await call(notificationRoutes.get, '/api/notifications', { cookie })).body as Notifications
async function createdTarget(body: unknown = webhook, person = ada): Promise<NotificationTarget> {
  const { status, body: created } = await create(body, person)
  expect(status).toBe(201)
  return created as NotificationTarget
}
const onTarget = (id: string, method: string, body?: unknown, { cookie } = ada) =>
  call(
    method === 'PATCH' ? notificationRoutes.updateTarget : notificationRoutes.removeTarget,
    `/api/notifications/targets/${id}`,
    {
      method,
      body,
      cookie,
      params: { id },
    },
  )
const test = (id: string, { cookie } = ada) =>
  call(notificationRoutes.test, `/api/notifications/targets/${id}/test`, {
    method: 'POST',
    cookie,
    params: { id },
  })
const again = (id: string, { cookie } = ada) =>
  call(notificationRoutes.redeliver, `/api/notifications/deliveries/${id}/redeliver`, {
    method: 'POST',
    cookie,
    params: { id },
  })
const log = async ({ cookie } = ada, query = '') =>
  (await call(notificationRoutes.deliveries, `/api/notifications/deliveries${query}`, { cookie }))
    .body as Delivery[]
const attempt = (id: string) =>
  deliver(id, { allowPrivate: true, timeoutMs: 60_000, signal: new AbortController().signal })

it('a target is listed without its address, which is stored encrypted', async () => {
  const target = await createdTarget()
  expect(target).toMatchObject({
    kind: 'webhook',
    name: 'my server',
    address: 'https://example.org',
    events: ['job.failed'],
    wait_minutes: 0,
    paused_at: null,
  })
  const matrix = await createdTarget({
    kind: 'matrix',
    name: 'our room',
    homeserver: 'https://matrix.example.org/',
    room_id: '!room:example.org',
    access_token: 'hidden-token',
    events: ['job.started'],
    wait_minutes: 10,
  })
  expect(await read()).toEqual({ targets: [target, matrix], email: null, secret_created_at: null })
  expect(await read(bob)).toMatchObject({ targets: [] })
  expect(JSON.stringify([await read(), target, matrix])).not.toContain('hidden')
  expect(await findStored(['hidden-path', 'hidden-key', 'hidden-token'])).toEqual([])
})

it.each([
  ['an unknown kind', { ...webhook, kind: 'pager' }, 'kind'],
  ['no event', { ...webhook, events: [] }, 'events'],
  ['an unknown event', { ...webhook, events: ['job.exploded'] }, 'events.0'],
  ['an event for admins', { ...webhook, events: ['node.lost'] }, 'events'],
  ['an address that is none', { ...webhook, url: 'file:///etc/passwd' }, 'url'],
  ['an address with a password', { ...webhook, url: 'https://a:b@example.org' }, 'url'],
  ['a chat without encryption', { ...webhook, kind: 'slack', url: 'http://hooks.slack.com/x' }, 'url'],
  [
    'a room by its alias',
    {
      kind: 'matrix',
      name: 'a',
      homeserver: 'https://m.org',
      room_id: '#a:m.org',
      access_token: 'a',
      events: ['job.failed'],
    },
    'room_id',
  ],
  ['a name that reverses text', { ...webhook, name: 'a\u202eb' }, 'name'],
  ['a wait of a year', { ...webhook, wait_minutes: 525_600 }, 'wait_minutes'],
])('%s is refused', async (_, body, path) => {
  expect(await create(body)).toMatchObject({ status: 422, body: { errors: [{ path }] } })
})

it('admins choose the events of the cluster, with a token only if it has the scope', async () => {
  const body = { ...webhook, events: ['node.lost'] }
  expect(await createdTarget(body, admin)).toMatchObject({ events: ['node.lost'] })
  const { token } = await makeToken(admin)
  expect(
    await call(notificationRoutes.createTarget, '/api/notifications/targets', {
      method: 'POST',
      body,
      token,
    }),
  ).toMatchObject({
    status: 422,
  })
})

it('a user has at most twenty targets', async () => {
  const answers = await Promise.all(Array.from({ length: 22 }, () => create(webhook)))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), 409, 409])
})

it('a target can be changed, paused, continued and deleted by its owner alone', async () => {
  const { id } = await createdTarget()
  expect(
    (await onTarget(id, 'PATCH', { name: 'other', events: ['job.started'], wait_minutes: 5 })).body,
  ).toMatchObject({
    name: 'other',
    events: ['job.started'],
    wait_minutes: 5,
    paused_at: null,
  })
  const waiting = (await test(id)).body as Delivery
  expect((await onTarget(id, 'PATCH', { paused: true })).body).toMatchObject({
    name: 'other',
    paused_at: expect.any(String),
  })
  expect(await log()).toMatchObject([{ id: waiting.id, state: 'failed', problem: 'The target was paused.' }])
  expect((await test(id)).status).toBe(409)
  expect((await again(waiting.id)).status).toBe(409)
  expect((await onTarget(id, 'PATCH', { paused: false })).body).toMatchObject({ paused_at: null })
  expect((await onTarget(id, 'PATCH', { events: ['disk.low'] })).status).toBe(422)
  for (const theirs of [id, none, 'x'])
    for (const { status } of [
      await onTarget(theirs, 'PATCH', { name: 'taken' }, bob),
      await onTarget(theirs, 'DELETE', undefined, bob),
      await test(theirs, bob),
    ])
      expect(status).toBe(404)
  expect((await onTarget(id, 'DELETE')).status).toBe(204)
  expect(await read()).toMatchObject({ targets: [] })
  expect(await log()).toEqual([])
})

it('the secret that signs webhooks is shown once', async () => {
  const make = () =>
    call(notificationRoutes.createSecret, '/api/notifications/secret', { method: 'POST', cookie: ada.cookie })
  const first = await make()
  expect(first).toMatchObject({
    status: 201,
    body: { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
  })
  const second = await make()
  expect(second.body).not.toEqual(first.body)
  expect(await read()).toMatchObject({ secret_created_at: expect.any(String) })
  const secrets = [first, second].map(({ body }) => (body as { secret: string }).secret)
  expect(await findStored(secrets.map((secret) => secret.slice(6)))).toEqual([])
})

it('a test and a redelivery are in the log with the answer', async () => {
  const receiver: Receiver = await startReceiver()
  try {
    const { id } = await createdTarget({ ...webhook, url: receiver.url })
    const sent = await test(id)
    expect(sent).toMatchObject({
      status: 202,
      body: { event: 'test', target_id: id, target_name: 'my server', state: 'waiting', attempts: 0 },
    })
    const { id: delivery } = sent.body as Delivery
    expect((await again(delivery)).status).toBe(409)
    receiver.answer = () => ({ status: 404, text: 'nothing here' })
    await attempt(delivery)
    expect(await log()).toMatchObject([
      {
        id: delivery,
        state: 'failed',
        attempts: 1,
        response_status: 404,
        response: 'nothing here',
        next_try_at: null,
      },
    ])
    for (const theirs of [delivery, none, 'x']) expect((await again(theirs, bob)).status).toBe(404)
    expect((await again(delivery)).body).toMatchObject({ state: 'waiting', attempts: 0 })
    receiver.answer = () => ({ status: 200, text: 'thanks' })
    await attempt(delivery)
    expect(await log()).toMatchObject([{ state: 'delivered', response_status: 200, response: 'thanks' }])
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual([`msg_${delivery}`, `msg_${delivery}`])
    expect(await log(bob)).toEqual([])
  } finally {
    await receiver.close()
  }
})

it('the log has pages, and can be limited to a target', async () => {
  const [one, other] = [await createdTarget(), await createdTarget()]
  const sent: string[] = []
  for (const { id } of [one, other, one, other, one]) sent.push(((await test(id)).body as Delivery).id)
  const pages = await readPages(notificationRoutes.deliveries, '/api/notifications/deliveries?limit=2', ada)
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
  expect(
    pages
      .flat()
      .map((item) => (item as Delivery).id)
      .sort(),
  ).toEqual([...sent].sort())
  expect(await log(ada, `?target=${other.id}`)).toHaveLength(2)
  expect(await log(bob, `?target=${other.id}`)).toEqual([])
})

it('a user can send few messages by hand in a minute', async () => {
  const { id } = await createdTarget()
  const answers = []
  for (let one = 0; one < 21; one++) answers.push(await test(id))
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(20)
  expect(answers.at(-1)).toMatchObject({ status: 429 })
  expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/)
})
