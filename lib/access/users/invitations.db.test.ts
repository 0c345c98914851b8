import { describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { signInWithPassword } from '../sessions/sign-in'
import { findStored, makePerson, someClient } from '../testing/people'
import { acceptInvitation, inviteAdmin } from './invitations'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const origin = 'https://gpuq.example.org'
const signIn = async (login: string, password: string) =>
  (await signInWithPassword({ login, password }, someClient)).verdict

describe('an admin who lost the password', () => {
  it('can be invited once from the server, and keeps the old password until then', async () => {
    const first = await makePerson('admin', 'first')
    await makePerson('admin', 'second')
    const { handle, url } = await inviteAdmin(origin)
    expect(handle).toBe('first')
    const [, token = ''] = /^https:\/\/gpuq\.example\.org\/invitations\/(\S+)$/.exec(url) ?? []
    expect(await findStored([token])).toEqual([])
    expect(await signIn('first', first.password)).toBe('right')
    expect(await acceptInvitation(token, 'a new password')).toBe('first')
    expect(await signIn('first', 'a new password')).toBe('right')
    expect(await signIn('first', first.password)).toBe('wrong')
    await expect(acceptInvitation(token, 'another password')).rejects.toMatchObject({ code: 'not_found' })
    const { rows } = await db.pool.query(
      "SELECT actor_id, target FROM audit_events WHERE action = 'user_updated'",
    )
    expect(rows).toEqual([{ actor_id: null, target: 'first' }])
  })

  it('is found by handle and e-mail address; other users and disabled admins are not', async () => {
    await makePerson('researcher', 'reader')
    expect(await inviteAdmin(origin, 'SECOND')).toMatchObject({ handle: 'second' })
    expect(await inviteAdmin(origin, 'second@example.org')).toMatchObject({ handle: 'second' })
    await db.pool.query("UPDATE users SET disabled_at = now() WHERE handle = 'first'")
    expect(await inviteAdmin(origin)).toMatchObject({ handle: 'second' })
    for (const name of ['reader', 'first', 'nobody', '']) {
      await expect(inviteAdmin(origin, name)).rejects.toThrow(`There is no enabled admin "${name}".`)
    }
  })
})
