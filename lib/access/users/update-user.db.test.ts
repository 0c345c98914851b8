import { describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { makePerson, makeToken, type Person } from '../testing/people'
import { updateUser } from './update-user'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
const origin = 'http://localhost:8001'

/** Leaves exactly these admins in the database. */
async function onlyAdmins(count: number): Promise<[Person, ...Person[]]> {
  await db.pool.query("UPDATE users SET role = 'researcher'")
  const first = await makePerson('admin')
  const rest = await Promise.all(Array.from({ length: count - 1 }, () => makePerson('admin')))
  return [first, ...rest]
}

async function enabledAdmins(): Promise<number> {
  const { rowCount } = await db.pool.query("SELECT 1 FROM users WHERE role = 'admin' AND disabled_at IS NULL")
  return rowCount ?? 0
}

describe('the last enabled admin', () => {
  it('can be neither disabled nor demoted', async () => {
    const [admin] = await onlyAdmins(1)
    for (const changes of [{ disabled: true }, { role: 'researcher' as const }]) {
      await expect(updateUser(admin.actor, admin.handle, changes, origin)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('last enabled admin'),
      })
    }
    await updateUser(admin.actor, admin.handle, { name: 'Root', role: 'admin', disabled: false }, origin)
    expect(await enabledAdmins()).toBe(1)
  })

  it('does not count disabled admins', async () => {
    const [admin, other] = await onlyAdmins(2)
    await updateUser(admin.actor, other?.handle ?? '', { disabled: true }, origin)
    await expect(updateUser(admin.actor, admin.handle, { disabled: true }, origin)).rejects.toMatchObject({
      code: 'conflict',
    })
    await updateUser(admin.actor, other?.handle ?? '', { role: 'researcher' }, origin)
    expect(await enabledAdmins()).toBe(1)
  })

  it('remains if admins remove each other concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const admins = await onlyAdmins(6)
      const outcomes = await Promise.allSettled(
        admins.map(({ handle }, i) =>
          updateUser(admins[0].actor, handle, i % 2 ? { disabled: true } : { role: 'researcher' }, origin),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
      expect(await enabledAdmins()).toBe(1)
    }
  })
})

describe('a change of a user', () => {
  it('requires an admin, and a token with the scope', async () => {
    const [admin] = await onlyAdmins(1)
    const researcher = await makePerson()
    const { actor } = await makeToken(admin, ['submit', 'read'])
    for (const who of [actor, researcher.actor]) {
      expect(() => updateUser(who, researcher.handle, { role: 'admin' }, origin)).toThrow(
        expect.objectContaining({ code: 'forbidden' }),
      )
    }
  })

  it('is in the audit log, without the invitation that it created', async () => {
    const [admin] = await onlyAdmins(1)
    const { handle } = await makePerson()
    const changes = { role: 'admin' as const, new_invitation: true as const }
    const { invitation_url } = await updateUser(admin.actor, handle, changes, origin)
    const { rows } = await db.pool.query(
      'SELECT actor_id, action, detail FROM audit_events WHERE target = $1',
      [handle],
    )
    expect(rows).toEqual([
      { actor_id: admin.id, action: 'user_updated', detail: { role: 'admin', invited: true } },
    ])
    expect(invitation_url).toMatch(/^http:\/\/localhost:8001\/invitations\//)
  })
})
