import { describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { findStored, makePerson, someClient } from '../testing/people'
import { beginSession } from './session'
import { failuresAllowed, signInWithPassword } from './sign-in'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const tryOften = (login: string, times: number) =>
  Promise.all(
    Array.from({ length: times }, () =>
      signInWithPassword({ login, password: 'not the password' }, someClient),
    ),
  )

async function failuresUnder(target: string): Promise<number> {
  const { rowCount } = await db.pool.query(
    "SELECT 1 FROM audit_events WHERE action = 'sign_in_failed' AND target = $1",
    [target],
  )
  return rowCount ?? 0
}

describe('sign-in with a password', () => {
  it('accepts handle and e-mail address in any letter case', async () => {
    const { id, handle, email, password } = await makePerson()
    for (const login of [handle, handle.toUpperCase(), email, ` ${email.toUpperCase()} `]) {
      expect(await signInWithPassword({ login, password }, someClient)).toEqual({
        verdict: 'right',
        value: { sub: id, sid: expect.any(String) },
      })
    }
  })

  it('accepts a password in any Unicode normalization', async () => {
    const { id, handle } = await makePerson()
    const { hashPassword } = await import('./passwords')
    const hash = await hashPassword('Zürich über alles')
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    await db.pool.query('UPDATE users SET password_hash = $2 WHERE id = $1', [id, hash])
    const password = 'Zürich über alles'.normalize('NFD')
    expect((await signInWithPassword({ login: handle, password }, someClient)).verdict).toBe('right')
  })

  it('returns the same for a wrong password, no password, a disabled and an unknown user', async () => {
    const [wrong, without, disabled] = [await makePerson(), await makePerson(), await makePerson()]
    await db.pool.query('UPDATE users SET password_hash = NULL WHERE id = $1', [without.id])
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [disabled.id])
    const answers = await Promise.all([
      signInWithPassword({ login: wrong.handle, password: 'not the password' }, someClient),
      signInWithPassword({ login: without.handle, password: 'nobody has this password' }, someClient),
      signInWithPassword({ login: disabled.handle, password: disabled.password }, someClient),
      signInWithPassword({ login: 'nobody', password: 'not the password' }, someClient),
      signInWithPassword({ login: 'nobody' }, someClient),
      signInWithPassword({ login: 'no\0body', password: 'not the password' }, someClient),
      signInWithPassword(undefined, someClient),
    ])
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set(['{"verdict":"wrong"}']))
  })

  it('starts no session for a disabled user', async () => {
    const { id } = await makePerson()
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [id])
    expect(await beginSession(db.pool, { userId: id }, someClient)).toBeNull()
  })
})

describe('password attempts', () => {
  it('are blocked for an account after ten failures, also concurrent ones, and not for other accounts', async () => {
    const [victim, other] = [await makePerson(), await makePerson()]
    const answers = await tryOften(victim.handle, 30)
    expect(answers.filter(({ verdict }) => verdict === 'wrong')).toHaveLength(failuresAllowed)
    expect(answers.filter(({ verdict }) => verdict === 'throttled')).toHaveLength(30 - failuresAllowed)
    const right = { login: victim.email, password: victim.password }
    expect((await signInWithPassword(right, someClient)).verdict).toBe('throttled')
    expect(
      (await signInWithPassword({ login: other.handle, password: other.password }, someClient)).verdict,
    ).toBe('right')
  })

  it('are allowed again after the window has passed', async () => {
    const { handle, password } = await makePerson()
    await tryOften(handle, failuresAllowed)
    await db.pool.query(
      "UPDATE audit_events SET at = at - interval '16 minutes' WHERE action = 'sign_in_failed' AND target = $1",
      [handle],
    )
    expect((await signInWithPassword({ login: handle, password }, someClient)).verdict).toBe('right')
  })

  it('for an unknown login are blocked in the same way, without storing what was typed', async () => {
    const typed = 'my-password-in-the-wrong-field'
    const answers = await tryOften(typed, failuresAllowed + 1)
    expect(answers.filter(({ verdict }) => verdict === 'throttled')).toHaveLength(1)
    expect(await findStored([typed, 'not the password'])).toEqual([])
  })

  it('are recorded, and so is success', async () => {
    const { id, handle, password } = await makePerson()
    await tryOften(handle, 2)
    await signInWithPassword({ login: handle, password }, someClient)
    expect(await failuresUnder(handle)).toBe(2)
    const { rows } = await db.pool.query(
      "SELECT target, detail FROM audit_events WHERE actor_id = $1 AND action = 'sign_in'",
      [id],
    )
    expect(rows).toEqual([{ target: handle, detail: { with: 'password' } }])
  })
})
