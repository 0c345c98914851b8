import { beforeEach, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { findStored, makePerson, type Person, someClient } from '../testing/people'
import { deviceCookie } from './device-cookie'
import { beginSession, sessionUser } from './session'
import type { SignInClient } from './session-client'
import { signInWithPassword } from './sign-in'
import { deleteOldThrottles, freeFailures } from './sign-in-throttle'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const tryOften = (login: string, times: number, address: string) =>
  Promise.all(
    Array.from({ length: times }, () =>
      signInWithPassword({ login, password: 'not the password' }, { ...someClient, address }),
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

const from = (address: string, deviceCookie: string | null = null): SignInClient => ({
  ...someClient,
  address,
  deviceCookie,
})

const right = ({ handle, password }: Person, client: SignInClient) =>
  signInWithPassword({ login: handle, password }, client)

/** The value of a device cookie, as the browser sends it. */
async function deviceOf({ id }: Person): Promise<string> {
  const [pair = ''] = (await deviceCookie(id)).split(';')
  return pair.slice(pair.indexOf('=') + 1)
}

/** Sets the times of all counts back. */
const letPass = (seconds: number) =>
  db.pool.query(
    `UPDATE sign_in_throttles SET failed_at = failed_at - $1 * interval '1 second',
            blocked_until = blocked_until - $1 * interval '1 second'`,
    [seconds],
  )

describe('password attempts', () => {
  // Above a number of failures for all accounts, each attempt takes a second.
  beforeEach(async () => {
    await db.pool.query('DELETE FROM audit_events')
  })

  it('are delayed for an account and an address, also concurrent ones', async () => {
    const [victim, other] = [await makePerson(), await makePerson()]
    const answers = await tryOften(victim.handle, 30, '198.51.100.1')
    expect(answers.filter(({ verdict }) => verdict === 'wrong')).toHaveLength(freeFailures)
    expect(answers.filter(({ verdict }) => verdict === 'throttled')).toHaveLength(30 - freeFailures)
    expect(await right(victim, from('198.51.100.1'))).toEqual({ verdict: 'throttled', waitS: 1 })
    expect((await right(other, from('198.51.100.1'))).verdict).toBe('right')
    expect((await right(victim, from('198.51.100.2'))).verdict).toBe('right')
  })

  it('password attempts from an unknown device do not block the right password on a known device', async () => {
    const victim = await makePerson()
    const device = await deviceOf(victim)
    for (let i = 0; i < 12; i++) {
      await tryOften(victim.handle, 1, '198.51.100.3')
      await letPass(1000)
    }
    await tryOften(victim.handle, 1, '198.51.100.3')
    expect((await right(victim, from('198.51.100.3'))).verdict).toBe('throttled')
    for (const address of ['198.51.100.3', '198.51.100.4']) {
      expect((await right(victim, from(address, device))).verdict).toBe('right')
    }
  })

  it('wait twice as long after each failure, up to a limit', async () => {
    const { handle } = await makePerson()
    await tryOften(handle, freeFailures, '198.51.100.5')
    const waits = []
    for (let i = 0; i < 12; i++) {
      const [answer] = await tryOften(handle, 1, '198.51.100.5')
      waits.push(answer?.verdict === 'throttled' ? answer.waitS : null)
      await letPass(900)
      await tryOften(handle, 1, '198.51.100.5')
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
    await letPass(25 * 3600)
    const answers = await tryOften(handle, freeFailures, '198.51.100.5')
    expect(answers.map(({ verdict }) => verdict)).not.toContain('throttled')
  })

  it('are counted from zero again after the right password', async () => {
    const person = await makePerson()
    for (let round = 0; round < 3; round++) {
      await tryOften(person.handle, freeFailures - 1, '198.51.100.6')
      expect((await right(person, from('198.51.100.6'))).verdict).toBe('right')
    }
  })

  it('password attempts on a known device count for the device, which is unknown after too many', async () => {
    const person = await makePerson()
    const client = from('198.51.100.7', await deviceOf(person))
    const attempt = () => signInWithPassword({ login: person.handle, password: 'not the password' }, client)
    const verdicts = []
    for (let i = 0; i < 10 + freeFailures + 1; i++) verdicts.push((await attempt()).verdict)
    expect(verdicts.slice(0, -1)).not.toContain('throttled')
    expect(verdicts.at(-1)).toBe('throttled')
  })

  it('password attempts with the device cookie of another user, a session cookie or a forged one count as unknown', async () => {
    const [victim, stranger] = [await makePerson(), await makePerson()]
    await tryOften(victim.handle, freeFailures, '198.51.100.8')
    const session = victim.cookie.slice(victim.cookie.indexOf('=') + 1)
    for (const cookie of [await deviceOf(stranger), session, 'x', '']) {
      expect((await right(victim, from('198.51.100.8', cookie))).verdict).toBe('throttled')
    }
    const cookie = `gpuq-session=${await deviceOf(victim)}`
    expect(await sessionUser(new Request('http://localhost:8001/', { headers: { cookie } }))).toBeNull()
  })

  it('are delayed for an address that tries many accounts, and for an account tried from many addresses', async () => {
    const [searched, victim] = [await makePerson(), await makePerson()]
    for (let i = 0; i < 50; i++) await tryOften(`nobody-${i}`, 1, '2001:db8::1')
    expect((await right(searched, from('2001:db8::2'))).verdict).toBe('throttled')
    expect((await right(searched, from('2001:db8:0:1::1'))).verdict).toBe('right')
    for (let i = 0; i < 50; i++) await tryOften(victim.handle, 1, `203.0.113.${i}`)
    expect(await right(victim, from('203.0.113.99'))).toEqual({ verdict: 'throttled', waitS: 1 })
  })

  it('password attempts for an unknown login are delayed in the same way, without storing what was typed', async () => {
    const typed = 'my-password-in-the-wrong-field'
    const answers = await tryOften(typed, freeFailures + 1, '198.51.100.9')
    expect(answers.filter(({ verdict }) => verdict === 'throttled')).toHaveLength(1)
    expect(await findStored([typed, 'not the password'])).toEqual([])
  })

  it('are not recorded without end', async () => {
    const { id, handle } = await makePerson()
    const failed = async () =>
      (
        await db.pool.query("SELECT 1 FROM audit_events WHERE action = 'sign_in_failed' AND target = $1", [
          handle,
        ])
      ).rowCount
    const fill = (actor: string | null) =>
      db.pool.query(
        "INSERT INTO audit_events (id, actor_id, action) SELECT gen_random_uuid(), $1, 'sign_in_failed' FROM generate_series(1, 300)",
        [actor],
      )
    // Many tries of unknown logins do not hide one of an account.
    await fill(null)
    await tryOften(handle, 1, '198.51.100.11')
    expect(await failed()).toBe(1)
    const unknown = async () =>
      (await db.pool.query("SELECT 1 FROM audit_events WHERE target LIKE 'unknown:%'")).rowCount
    const before = await unknown()
    await tryOften('nobody', 1, '198.51.100.12')
    expect(await unknown()).toBe(before)
    await fill(id)
    const [answer] = await tryOften(handle, 1, '198.51.100.11')
    expect([answer?.verdict, await failed()]).toEqual(['wrong', 1])
    await db.pool.query("DELETE FROM audit_events WHERE action = 'sign_in_failed'")
  })

  it('are recorded, and so is success', async () => {
    const { id, handle, password } = await makePerson()
    await tryOften(handle, 2, '198.51.100.10')
    await signInWithPassword({ login: handle, password }, someClient)
    expect(await failuresUnder(handle)).toBe(2)
    const { rows } = await db.pool.query(
      "SELECT target, detail FROM audit_events WHERE actor_id = $1 AND action = 'sign_in'",
      [id],
    )
    expect(rows).toEqual([{ target: handle, detail: { with: 'password' } }])
  })

  it('are forgotten a day after the last one', async () => {
    await letPass(23 * 3600)
    await deleteOldThrottles()
    expect((await db.pool.query('SELECT 1 FROM sign_in_throttles')).rowCount).toBeGreaterThan(0)
    await letPass(2 * 3600)
    await deleteOldThrottles()
    expect((await db.pool.query('SELECT 1 FROM sign_in_throttles')).rowCount).toBe(0)
  })
})
