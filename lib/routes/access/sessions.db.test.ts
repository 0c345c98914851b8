import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { sessionCookie } from '../../access/sessions/session-cookie'
import { deleteEndedSessions } from '../../access/sessions/sessions'
import { signInWithPassword } from '../../access/sessions/sign-in'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { sessionSchema } from '../../contract/access/access'
import { testDatabase } from '../../database/testing/test-database'
import { jobRoutes } from '../jobs/jobs'
import { sessionRoutes } from './sessions'
import { userRoutes } from './users'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

type Who = { cookie?: string; token?: string }
const statusOf = async (who: Who) => (await call(userRoutes.me, '/api/users/me', who)).status
const listOf = async (who: Who) =>
  z.array(sessionSchema).parse((await call(sessionRoutes.list, '/api/sessions', who)).body)
const endOne = async (who: Who, id: string) =>
  (await call(sessionRoutes.end, `/api/sessions/${id}`, { method: 'DELETE', params: { id }, ...who })).status
const endMany = (who: Who, query = '') =>
  call(sessionRoutes.endAll, `/api/sessions${query}`, { method: 'DELETE', ...who })

/** Signs in from another browser. Returns its cookie and the id of its session. */
async function signInElsewhere({ handle, password }: Person): Promise<{ cookie: string; id: string }> {
  const client = { address: '198.51.100.7', userAgent: 'another browser', deviceCookie: null }
  const check = await signInWithPassword({ login: handle, password }, client)
  if (check.verdict !== 'right') throw new Error(`The password of ${handle} is ${check.verdict}.`)
  const [cookie = ''] = (await sessionCookie(check.value)).split(';')
  return { cookie, id: check.value.sid }
}

describe('the list of sessions', () => {
  it('shows each of the own sessions, and marks the calling one', async () => {
    const [ada, bob] = [await makePerson(), await makePerson()]
    const elsewhere = await signInElsewhere(ada)
    const sessions = await listOf(ada)
    expect(sessions).toHaveLength(2)
    expect(sessions.find(({ current }) => current)).toMatchObject({ session_id: ada.actor.sessionId })
    expect(sessions.find(({ current }) => !current)).toMatchObject({
      session_id: elsewhere.id,
      address: '198.51.100.7',
      user_agent: 'another browser',
    })
    expect(await listOf(bob)).toHaveLength(1)
    const { token } = await makeToken(ada, ['read'])
    expect((await listOf({ token })).map(({ current }) => current)).toEqual([false, false])
  })

  it('has no ended session, and the sweep deletes their rows', async () => {
    const ada = await makePerson()
    const [expired, { id: live }] = [await signInElsewhere(ada), await signInElsewhere(ada)]
    await db.pool.query("UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1", [
      expired.id,
    ])
    expect(await statusOf(expired)).toBe(401)
    const ids = (await listOf(ada)).map(({ session_id }) => session_id)
    expect(ids.sort()).toEqual([ada.actor.sessionId, live].sort())
    await deleteEndedSessions()
    const { rows } = await db.pool.query('SELECT id FROM sessions WHERE user_id = $1', [ada.id])
    expect(rows.map(({ id }) => id).sort()).toEqual(ids)
  })

  it('has a limit: a new session ends the least recently used one', async () => {
    const ada = await makePerson()
    await db.pool.query(
      `INSERT INTO sessions (id, user_id, epoch, expires_at, address, user_agent)
       SELECT gen_random_uuid(), $1, 0, now() + interval '1 day', '', '' FROM generate_series(1, 120)`,
      [ada.id],
    )
    await db.pool.query("UPDATE sessions SET last_seen_at = now() - interval '1 hour' WHERE id = $1", [
      ada.actor.sessionId,
    ])
    const { cookie } = await signInElsewhere(ada)
    expect(await listOf({ cookie })).toHaveLength(100)
    expect(await statusOf(ada)).toBe(401)
  })
})

describe('ending sessions', () => {
  it('ends one at once, and only an own one', async () => {
    const [ada, bob] = [await makePerson(), await makePerson()]
    const elsewhere = await signInElsewhere(ada)
    for (const id of [elsewhere.id, randomUUID(), 'no id']) expect(await endOne(bob, id)).toBe(404)
    expect(await endOne(await makeToken(ada, ['read']), elsewhere.id)).toBe(403)
    expect(await statusOf(elsewhere)).toBe(200)
    expect(await endOne(ada, elsewhere.id)).toBe(204)
    expect([await statusOf(elsewhere), await statusOf(ada)]).toEqual([401, 200])
    expect(await endOne(ada, elsewhere.id)).toBe(404)
    const { rows } = await db.pool.query(
      "SELECT detail FROM audit_events WHERE action = 'session_ended' AND actor_id = $1",
      [ada.id],
    )
    expect(rows).toEqual([{ detail: { session_id: elsewhere.id } }])
  })

  it('ends all, or all but the calling one, and no other user', async () => {
    const [ada, bob] = [await makePerson(), await makePerson()]
    const first = await signInElsewhere(ada)
    expect((await endMany(ada, '?keep_current=true')).headers.get('set-cookie')).toBeNull()
    expect([await statusOf(first), await statusOf(ada)]).toEqual([401, 200])
    const second = await signInElsewhere(ada)
    const { status, headers } = await endMany(ada)
    expect([status, headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect([await statusOf(second), await statusOf(ada), await statusOf(bob)]).toEqual([401, 401, 200])
  })

  it('works with a token, which stays valid', async () => {
    const ada = await makePerson()
    const { token } = await makeToken(ada)
    expect((await endMany({ token }, '?keep_current=true')).status).toBe(204)
    expect([await statusOf(ada), await statusOf({ token })]).toEqual([401, 200])
  })

  it('ends the event streams that were opened with the session, and no others', async () => {
    const ada = await makePerson()
    const elsewhere = await signInElsewhere(ada)
    const id = await makeJob({ userId: ada.id })
    const gaveUp = new AbortController()
    const open = async (cookie: string) => {
      const request = new Request(`http://localhost:8001/api/jobs/${id}/events`, {
        headers: { cookie },
        signal: gaveUp.signal,
      })
      return jobRoutes.events(request, { params: Promise.resolve({ id }) })
    }
    const [ended, kept] = [await open(elsewhere.cookie), await open(ada.cookie)]
    await endOne(ada, elsewhere.id)
    expect(await ended.text()).toContain('event: job')
    const rest = kept.text().then(() => 'ended')
    expect(await Promise.race([rest, new Promise((resolve) => setTimeout(resolve, 500, 'open'))])).toBe(
      'open',
    )
    gaveUp.abort()
    await rest
  })
})
