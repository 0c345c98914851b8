import { describe, expect, it, vi } from 'vitest'
import { recordAudit } from '@/lib/access/audit'
import { call, readPages } from '@/lib/access/testing/call'
import { makePerson, makeToken } from '@/lib/access/testing/people'
import { auditEventSchema } from '@/lib/contract/access/access'
import { testDatabase } from '@/lib/database/testing/test-database'
import { transaction } from '@/lib/database/transaction'
import { GET } from './route'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

describe('the audit log', () => {
  it('shows admins each event once, newest first', async () => {
    const [admin, ada] = [await makePerson('admin'), await makePerson()]
    const entries = Array.from({ length: 7 }, (_, i) => ({ action: 'tried', target: `${i}`, detail: { i } }))
    await transaction(async (tx) => {
      for (const entry of entries) await recordAudit(tx, { actorId: ada.id, ...entry })
    })
    await recordAudit(db.pool, { actorId: null, action: 'started', target: null })

    const pages = await readPages(GET, '/api/audit?limit=3', admin)
    const events = auditEventSchema.array().parse(pages.flat())
    expect(pages.map((page) => page.length)).toEqual([3, 3, 2])
    expect(events[0]).toMatchObject({ actor: null, action: 'started', target: null, detail: {} })
    expect(events.slice(1).map(({ target }) => target)).toEqual(['6', '5', '4', '3', '2', '1', '0'])
    expect(events[1]).toMatchObject({ actor: ada.handle, detail: { i: 6 } })

    expect((await call(GET, '/api/audit', ada)).status).toBe(403)
    expect((await call(GET, '/api/audit', { token: (await makeToken(admin, ['read'])).token })).status).toBe(
      403,
    )
    expect((await call(GET, '/api/audit')).status).toBe(401)
  })

  it('can be filtered by actor and action', async () => {
    const [admin, bob] = [await makePerson('admin'), await makePerson()]
    await recordAudit(db.pool, { actorId: bob.id, action: 'left', target: 'x' })
    await recordAudit(db.pool, { actorId: bob.id, action: 'came', target: 'y' })
    const targets = async (query: string) =>
      auditEventSchema
        .array()
        .parse((await call(GET, `/api/audit?${query}`, admin)).body)
        .map(({ target }) => target)
    expect(await targets(`actor=${bob.handle.toUpperCase()}`)).toEqual(['y', 'x'])
    expect(await targets(`actor=${bob.handle}&action=left`)).toEqual(['x'])
    expect(await targets('actor=nobody')).toEqual([])
    expect(await call(GET, '/api/audit?action=%00', admin)).toMatchObject({ status: 422 })
    expect(await call(GET, '/api/audit?cursor=bm9uZQ', admin)).toMatchObject({ status: 400 })
  })

  it('has the names of actors, and of targets that are users', async () => {
    const [admin, ada] = [await makePerson('admin'), await makePerson()]
    await db.pool.query("UPDATE users SET name = 'Ada Lovelace' WHERE id = $1", [ada.id])
    await recordAudit(db.pool, { actorId: ada.id, action: 'password_changed', target: ada.handle })
    // An environment may have the name of a user's handle.
    await recordAudit(db.pool, { actorId: admin.id, action: 'environment_created', target: ada.handle })
    const events = auditEventSchema.array().parse((await call(GET, '/api/audit?limit=2', admin)).body)
    expect(events).toMatchObject([
      { actor_name: null, target: ada.handle, target_name: null },
      { actor_name: 'Ada Lovelace', target: ada.handle, target_name: 'Ada Lovelace' },
    ])
  })

  it('loses an event if its change is rolled back', async () => {
    const refused = transaction(async (tx) => {
      await recordAudit(tx, { actorId: null, action: 'undone', target: null })
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    const { rowCount } = await db.pool.query("SELECT 1 FROM audit_events WHERE action = 'undone'")
    expect(rowCount).toBe(0)
  })
})
