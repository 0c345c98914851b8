import { describe, expect, it, vi } from 'vitest'
import { signInWithPassword } from '../../access/sessions/sign-in'
import { freeFailures } from '../../access/sessions/sign-in-throttle'
import { call } from '../../access/testing/call'
import { findStored, makePerson, makeToken, someClient } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { userRoutes } from './users'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const wanted = 'the new password of somebody'
const change = (who: { cookie?: string; token?: string }, current_password?: string, new_password = wanted) =>
  call(userRoutes.changePassword, '/api/users/me/password', {
    method: 'POST',
    body: { current_password, new_password },
    ...who,
  })
const isIn = async (cookie: string) => (await call(userRoutes.me, '/api/users/me', { cookie })).status === 200

describe('changing your own password', () => {
  it('ends all sessions except the calling one', async () => {
    const { handle, cookie, password } = await makePerson()
    const { status, headers } = await change({ cookie }, password)
    expect(status).toBe(204)
    const [fresh = ''] = (headers.get('set-cookie') ?? '').split(';')
    expect([await isIn(cookie), await isIn(fresh)]).toEqual([false, true])
    expect((await signInWithPassword({ login: handle, password }, someClient)).verdict).toBe('wrong')
    expect((await signInWithPassword({ login: handle, password: wanted }, someClient)).verdict).toBe('right')
    expect(await findStored([password, wanted])).toEqual([])
  })

  it('needs the current password, also with a token', async () => {
    const person = await makePerson()
    const { token } = await makeToken(person, ['submit'])
    const { token: readOnly } = await makeToken(person, ['read'])
    const wrong = { status: 422, body: { errors: [{ path: 'current_password' }] } }
    expect(await change({ cookie: person.cookie }, 'not the password')).toMatchObject(wrong)
    expect(await change({ cookie: person.cookie })).toMatchObject(wrong)
    expect(await change({ token })).toMatchObject(wrong)
    expect(await change({ token: readOnly }, person.password)).toMatchObject({ status: 403 })
    expect(await change({}, person.password)).toMatchObject({ status: 401 })
    const { status, headers } = await change({ token }, person.password)
    expect([status, headers.get('set-cookie')]).toEqual([204, null])
  })

  it('rejects a short password', async () => {
    const { cookie, password } = await makePerson()
    expect(await change({ cookie }, password, 'short')).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'new_password', message: 'use at least 10 characters' }] },
    })
  })

  it('refuses one that is easy to guess, such as the own name', async () => {
    const { cookie, handle, password } = await makePerson()
    for (const weak of ['1234567890', handle, `${handle}1`]) {
      expect(await change({ cookie }, password, weak)).toMatchObject({
        status: 422,
        body: {
          errors: [
            { path: 'new_password', message: expect.stringMatching(/^this password is easy to guess/) },
          ],
        },
      })
    }
  })

  it('limits the attempts to guess a password', async () => {
    const { cookie, handle, password } = await makePerson()
    for (let i = 0; i < freeFailures; i++) await change({ cookie }, 'not the password')
    const refused = await change({ cookie }, password)
    expect(refused).toMatchObject({ status: 429, body: { detail: expect.stringContaining('Wait 1 second') } })
    expect(refused.headers.get('retry-after')).toBe('1')
    const here = { ...someClient, address: 'unknown' }
    expect((await signInWithPassword({ login: handle, password }, here)).verdict).toBe('throttled')
  })

  it('sets a first password in a session, but not with a token', async () => {
    const person = await makePerson()
    const { token } = await makeToken(person)
    await db.pool.query('UPDATE users SET password_hash = NULL WHERE id = $1', [person.id])
    expect(await change({ token })).toMatchObject({ status: 422 })
    expect(await change({ cookie: person.cookie })).toMatchObject({ status: 204 })
    expect((await signInWithPassword({ login: person.handle, password: wanted }, someClient)).verdict).toBe(
      'right',
    )
  })
})
