import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findStored, makePerson, type Person } from '../access/testing/people'
import { acceptInvitation } from '../access/users/invitations'
import { testDatabase } from '../database/testing/test-database'
import { env } from '../env'
import { importUsers } from '../people/import-users'
import { createTargetSchema } from './contract'
import { deliver } from './deliver'
import { listDeliveries, redeliver, sendTest } from './deliveries'
import { inviteByMail, listInvitationMails } from './invitation-mails'
import { createTarget, readNotifications } from './targets'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

interface Mail {
  from: string
  to: string[]
  content: string
}

let server: SMTPServer
let mails: Mail[] = []
/** The status with which the server refuses a message; null: it accepts. */
let refusal: number | null = null
let ada: Person

beforeEach(async () => {
  await db.pool.query('TRUNCATE users CASCADE')
  ada = await makePerson()
  mails = []
  refusal = null
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'gpuq' && password === 'pass@word' ? done(null, { user: 'gpuq' }) : done(new Error('no')),
    onData: (stream, { envelope }, done) => {
      void text(stream).then((content) => {
        if (refusal !== null) return done(Object.assign(new Error('no room'), { responseCode: refusal }))
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), content })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  useServer(`smtp://gpuq:pass%40word@127.0.0.1:${port}`)
})
afterEach(() => new Promise<void>((resolve) => server.close(resolve)))

function useServer(url: string | undefined): void {
  Object.assign(env(), { GPUQ_SMTP_URL: url, GPUQ_MAIL_FROM: 'gpuq <gpuq@example.org>' })
}

const addTarget = () =>
  createTarget(
    ada.actor,
    createTargetSchema.parse({ kind: 'email', name: 'my mail', events: ['job.failed'] }),
  )
const options = { allowPrivate: false, timeoutMs: 60_000, signal: new AbortController().signal }
const log = async () => (await listDeliveries(ada.actor, { limit: 10 })).items

async function sendOne(): Promise<string> {
  const { id } = await sendTest(ada.actor, (await addTarget()).id)
  await deliver(id, options)
  return id
}

it('sends e-mail to the address of the account', async () => {
  const id = await sendOne()
  expect(mails).toMatchObject([{ from: 'gpuq@example.org', to: [ada.email] }])
  expect(mails[0]?.content).toContain('Subject: gpuq: test')
  expect(mails[0]?.content).toContain(`Message-ID: <${id}@gpuq>`)
  expect(await log()).toMatchObject([{ state: 'delivered', response_status: 250, problem: null }])
  expect(await readNotifications(ada.actor)).toMatchObject({
    email: ada.email,
    targets: [{ kind: 'email', address: ada.email }],
  })
})

it('sends a repeated message with the same Message-ID', async () => {
  const id = await sendOne()
  await redeliver(ada.actor, id)
  await deliver(id, options)
  const ids = mails.map(({ content }) => /Message-ID: (.+)/.exec(content)?.[1])
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(ids[1])
})

it.each([
  [451, 'retrying'],
  [550, 'failed'],
])('after status %i a message is %s', async (status, state) => {
  refusal = status
  await sendOne()
  expect(await log()).toMatchObject([
    { state, response_status: status, problem: `The SMTP server responded with status ${status}.` },
  ])
})

it('tries again while the server is not there, without its password in the log', async () => {
  useServer('smtp://gpuq:hidden-word@127.0.0.1:1')
  await sendOne()
  const entries = await log()
  expect(entries).toMatchObject([
    { state: 'retrying', problem: expect.stringContaining('The SMTP server could not be used') },
  ])
  expect(JSON.stringify(entries)).not.toContain('hidden-word')
})

it('a test is due at once although the clock of the web server is an hour fast', async () => {
  const target = await addTarget()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  await sendTest(ada.actor, target.id)
  const { rows } = await db.pool.query(
    'SELECT next_try_at <= now() AND created_at <= now() AS due FROM notification_deliveries',
  )
  expect(rows).toEqual([{ due: true }])
})

it('closes the connection of a message that is late, so that it is not sent twice', async () => {
  const late = new AbortController()
  server.onData = () => late.abort()
  const closed = new Promise((resolve) => {
    server.onClose = resolve
  })
  const { id } = await sendTest(ada.actor, (await addTarget()).id)
  await deliver(id, { ...options, timeoutMs: 3_600_000, signal: late.signal })
  expect(await log()).toMatchObject([
    { state: 'retrying', problem: 'The SMTP server did not respond in time.' },
  ])
  await closed
})

it('refuses a target without a server, or without an address', async () => {
  await db.pool.query('UPDATE users SET email = NULL WHERE id = $1', [ada.id])
  await expect(addTarget()).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('ask an admin'),
  })
  useServer(undefined)
  await expect(addTarget()).rejects.toMatchObject({ message: expect.stringContaining('GPUQ_SMTP_URL') })
  expect(await readNotifications(ada.actor)).toMatchObject({ email: null })
})

describe('invitations by e-mail', () => {
  const csv = 'user_id,email\ngrace,grace@example.org\nlinkonly,\n'
  const importAll = (actor: Person['actor']) =>
    importUsers(actor, { csv, dry_run: false, invite_by: 'email' }, 'https://gpuq.example.org')
  const deliverAll = async () => {
    // The column is rounded to milliseconds: now() could be in the future.
    const { rows } = await db.pool.query<{ id: string }>(
      "UPDATE notification_deliveries SET next_try_at = created_at - interval '1 s' WHERE settled_at IS NULL RETURNING id",
    )
    for (const { id } of rows) await deliver(id, options)
  }
  const linkIn = (mail: Mail | undefined) =>
    /invitations\/([\w-]{43})/.exec(mail?.content.replaceAll('=\r\n', '') ?? '')?.[1] ?? ''

  it('are sent by the outbox; the link works, and is not in the database', async () => {
    const { actor } = await makePerson('admin')
    expect(await importAll(actor)).toMatchObject({ mailed: 1, invitations: [{ user_id: 'linkonly' }] })
    expect(mails).toEqual([])
    expect(await listInvitationMails(actor)).toMatchObject({
      available: true,
      mails: [{ user_id: 'grace', state: 'waiting', problem: null }],
    })
    await deliverAll()
    expect(mails).toMatchObject([{ to: ['grace@example.org'] }])
    expect(await findStored([linkIn(mails[0])])).toEqual([])
    expect(await acceptInvitation(linkIn(mails[0]), 'seven quiet trams at dusk')).toBe('grace')
    expect((await listInvitationMails(actor)).mails).toEqual([])
    await expect(inviteByMail(actor, 'grace')).rejects.toMatchObject({
      message: expect.stringContaining('has a password'),
    })
    await expect(inviteByMail(actor, 'linkonly')).rejects.toMatchObject({
      message: expect.stringContaining('no e-mail'),
    })
    await expect(inviteByMail(ada.actor, 'grace')).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('invitations by e-mail that fail are listed, and can be sent again; only the latest link works', async () => {
    const { actor } = await makePerson('admin')
    await importAll(actor)
    refusal = 550
    await deliverAll()
    expect(await listInvitationMails(actor)).toMatchObject({
      mails: [
        {
          user_id: 'grace',
          email: 'grace@example.org',
          state: 'failed',
          problem: expect.stringContaining('550'),
        },
      ],
    })
    refusal = null
    await inviteByMail(actor, 'grace')
    await inviteByMail(actor, 'GRACE')
    await deliverAll()
    expect(mails).toHaveLength(1)
    expect(await acceptInvitation(linkIn(mails[0]), 'seven quiet trams at dusk')).toBe('grace')
  })

  it('are refused without a server, before anything is imported', async () => {
    const { actor } = await makePerson('admin')
    useServer(undefined)
    await expect(importAll(actor)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('GPUQ_SMTP_URL'),
    })
    expect((await db.pool.query("SELECT 1 FROM users WHERE handle = 'grace'")).rowCount).toBe(0)
  })
})
