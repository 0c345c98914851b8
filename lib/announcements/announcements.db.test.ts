import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { testDatabase } from '../database/testing/test-database'
import { announcementRoutes } from './routes'

const db = testDatabase()
const path = '/api/announcement'

let [ada, admin] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, admin] = await Promise.all([makePerson(), makePerson('admin')])
})

const read = async ({ cookie } = ada) => (await call(announcementRoutes.get, path, { cookie })).body
const publish = (body: unknown, { cookie } = admin) =>
  call(announcementRoutes.set, path, { method: 'PUT', body, cookie })
const remove = ({ cookie } = admin) => call(announcementRoutes.remove, path, { method: 'DELETE', cookie })

describe('the announcement', () => {
  it('is published and removed by an admin, and every user sees it', async () => {
    expect(await read()).toEqual({ announcement: null, dismissed: false })
    const text = 'Maintenance on Friday.\nJobs that run will end.'
    const ends_at = '2999-01-01T12:00:00.000Z'
    expect(await publish({ text: ` ${text} `, ends_at })).toMatchObject({
      status: 200,
      body: { announcement: { text, ends_at } },
    })
    expect(await read()).toMatchObject({ announcement: { text, ends_at } })
    expect(await remove()).toMatchObject({ status: 204 })
    expect(await read()).toEqual({ announcement: null, dismissed: false })
    expect(await remove()).toMatchObject({ status: 204 })
  })

  it('is replaced by the next one, which has another id', async () => {
    const first = (await publish({ text: 'one' })).body
    const second = (await publish({ text: 'two' })).body
    expect(second).toMatchObject({ announcement: { text: 'two', ends_at: null } })
    expect(second).not.toMatchObject({
      announcement: { id: (first as { announcement: { id: string } }).announcement.id },
    })
    const together = ['three', 'four', 'five'].map((text) => publish({ text }))
    for (const { status } of await Promise.all(together)) expect(status).toBe(200)
    expect((await db.pool.query('SELECT 1 FROM announcements')).rowCount).toBe(1)
  })

  it('is dismissed by each user alone, and the next one is shown again', async () => {
    const { body } = await publish({ text: 'dismiss me' })
    const { id } = (body as { announcement: { id: string } }).announcement
    const dismissed = await call(announcementRoutes.dismiss, `${path}/dismissal`, {
      method: 'POST',
      body: { id },
      cookie: ada.cookie,
    })
    expect(dismissed.status).toBe(204)
    expect(await read()).toMatchObject({ announcement: { id }, dismissed: true })
    expect(await read(admin)).toMatchObject({ announcement: { id }, dismissed: false })
    await publish({ text: 'the next one' })
    expect(await read()).toMatchObject({ announcement: { text: 'the next one' }, dismissed: false })
  })

  it('disappears at its end', async () => {
    await publish({ text: 'soon over', ends_at: '2999-01-01T00:00:00Z' })
    await db.pool.query(`UPDATE announcements SET ends_at = now() - interval '1 second'`)
    expect(await read()).toEqual({ announcement: null, dismissed: false })
  })

  it('cannot be changed by other users', async () => {
    expect(await publish({ text: 'mine' }, ada)).toMatchObject({ status: 403 })
    expect(await remove(ada)).toMatchObject({ status: 403 })
    expect((await call(announcementRoutes.get, path, {})).status).toBe(401)
  })

  it.each([
    ['no text', { text: '  ' }, /write a text/],
    ['a long text', { text: 'x'.repeat(501) }, /500/],
    ['a control character', { text: 'a\u0007b' }, /control characters/],
    ['an end that has passed', { text: 'late', ends_at: '2001-01-01T00:00:00Z' }, /has passed/],
    ['an end that is no time', { text: 'late', ends_at: 'tomorrow' }, /2030-01-01T12:00:00Z/],
  ])('refuses %s', async (_, body, message) => {
    const { status, body: problem } = await publish(body)
    expect(status).toBe(422)
    expect(JSON.stringify(problem)).toMatch(message)
  })

  it('is in the audit log with its text', async () => {
    await publish({ text: 'for the log' })
    await remove()
    const { rows } = await db.pool.query(
      `SELECT action, detail FROM audit_events WHERE actor_id = $1 ORDER BY at DESC, id DESC LIMIT 2`,
      [admin.id],
    )
    expect(rows).toEqual([
      { action: 'announcement_removed', detail: {} },
      { action: 'announcement_published', detail: { text: 'for the log', ends_at: null } },
    ])
  })
})
