import { describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../database/testing/test-database'
import { env } from '../env'
import { actorFromToken } from './authenticate'
import { findEnvironment } from './environments'
import { ensureFirstRun } from './first-run'
import { signInWithPassword } from './sessions/sign-in'
import { findStored, someClient } from './testing/people'

const given = vi.hoisted(() => {
  const token = 'any string of 32 characters or more will do'
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_ADMIN_EMAIL', 'root@example.org')
  vi.stubEnv('GPUQ_ADMIN_TOKEN', token)
  return { token }
})
const db = testDatabase()

describe('the first start', () => {
  it('refuses a password that is easy to guess, and creates nothing', async () => {
    env().GPUQ_ADMIN_PASSWORD = 'root@example.org'
    await expect(ensureFirstRun()).rejects.toThrow(/^GPUQ_ADMIN_PASSWORD: this password is easy to guess/)
    env().GPUQ_ADMIN_PASSWORD = undefined
    expect((await db.pool.query('SELECT 1 FROM users')).rowCount).toBe(0)
  })

  it('creates one admin, one token and one environment, also by concurrent starts', async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, ensureFirstRun))
    const created = runs.flatMap((run) => (run.created ? [run.admin] : []))
    expect(created).toHaveLength(1)
    const [admin] = created
    expect(admin).toMatchObject({ handle: 'admin', email: 'root@example.org', token: given.token })
    const known = { handle: 'admin', email: 'root@example.org' }
    for (const run of runs.filter(({ created }) => !created)) expect(run.admin).toEqual(known)

    const password = admin?.password ?? ''
    expect(password).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/)
    expect((await signInWithPassword({ login: 'root@example.org', password }, someClient)).verdict).toBe(
      'right',
    )
    const actor = await actorFromToken(given.token)
    expect(actor).toMatchObject({ handle: 'admin', role: 'admin', scopes: ['submit', 'read', 'admin'] })
    expect(await findEnvironment(null)).toMatchObject({ name: 'python', network: 'none' })
    for (const table of ['users', 'api_tokens', 'environments']) {
      expect((await db.pool.query(`SELECT 1 FROM ${table}`)).rowCount).toBe(1)
    }
    expect(await findStored([password, given.token])).toEqual([])
  })

  it('changes nothing on later starts', async () => {
    await db.pool.query("UPDATE environments SET image = 'chosen:1'")
    await db.pool.query('UPDATE api_tokens SET revoked_at = now()')
    expect((await ensureFirstRun()).created).toBe(false)
    expect(await findEnvironment(null)).toMatchObject({ image: 'chosen:1' })
    expect(await actorFromToken(given.token)).toBeNull()
  })
})
