import { describe, expect, it, vi } from 'vitest'
import { deleteOldAuditEvents, eventsPerDay, recordAudit } from '../../access/audit'
import { createProject, updateProject } from '../../access/projects/projects'
import { call, readPages } from '../../access/testing/call'
import { makePerson, makeToken } from '../../access/testing/people'
import { createToken, revokeToken } from '../../access/tokens/tokens'
import { auditEventSchema } from '../../contract/access/access'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { limitVariables } from '../../env/limits'
import { auditRoutes } from './audit'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

describe('the audit log', () => {
  it('shows admins each event once, newest first', async () => {
    const [admin, ada] = [await makePerson('admin'), await makePerson()]
    const entries = Array.from({ length: 7 }, (_, i) => ({
      action: 'view_created' as const,
      target: `${i}`,
      detail: { i },
    }))
    await transaction(async (tx) => {
      for (const entry of entries) await recordAudit(tx, { actorId: ada.id, ...entry })
    })
    await recordAudit(db.pool, { actorId: null, action: 'policy_updated', target: null })

    const pages = await readPages(auditRoutes.list, '/api/audit?limit=3', admin)
    const events = auditEventSchema.array().parse(pages.flat())
    expect(pages.map((page) => page.length)).toEqual([3, 3, 2])
    expect(events[0]).toMatchObject({ actor: null, action: 'policy_updated', target: null, detail: {} })
    expect(events.slice(1).map(({ target }) => target)).toEqual(['6', '5', '4', '3', '2', '1', '0'])
    expect(events[1]).toMatchObject({ actor: ada.handle, detail: { i: 6 } })

    expect((await call(auditRoutes.list, '/api/audit', ada)).status).toBe(403)
    expect(
      (await call(auditRoutes.list, '/api/audit', { token: (await makeToken(admin, ['read'])).token }))
        .status,
    ).toBe(403)
    expect((await call(auditRoutes.list, '/api/audit')).status).toBe(401)
  })

  it('can be filtered by actor and action', async () => {
    const [admin, bob] = [await makePerson('admin'), await makePerson()]
    await recordAudit(db.pool, { actorId: bob.id, action: 'sign_out', target: 'x' })
    await recordAudit(db.pool, { actorId: bob.id, action: 'sign_in', target: 'y' })
    const targets = async (query: string) =>
      auditEventSchema
        .array()
        .parse((await call(auditRoutes.list, `/api/audit?${query}`, admin)).body)
        .map(({ target }) => target)
    expect(await targets(`actor=${bob.handle.toUpperCase()}`)).toEqual(['y', 'x'])
    expect(await targets(`actor=${bob.handle}&action=sign_out`)).toEqual(['x'])
    expect(await targets('actor=nobody')).toEqual([])
    expect(await call(auditRoutes.list, '/api/audit?action=%00', admin)).toMatchObject({ status: 422 })
    expect(await call(auditRoutes.list, '/api/audit?cursor=bm9uZQ', admin)).toMatchObject({ status: 400 })
  })

  it('has the names of actors, and of targets that are users', async () => {
    const [admin, ada] = [await makePerson('admin'), await makePerson()]
    await db.pool.query("UPDATE users SET name = 'Ada Lovelace' WHERE id = $1", [ada.id])
    await recordAudit(db.pool, { actorId: ada.id, action: 'password_changed', target: ada.handle })
    // An environment may have the name of a user's handle.
    await recordAudit(db.pool, { actorId: admin.id, action: 'environment_created', target: ada.handle })
    const events = auditEventSchema
      .array()
      .parse((await call(auditRoutes.list, '/api/audit?limit=2', admin)).body)
    expect(events).toMatchObject([
      { actor_name: null, target: ada.handle, target_name: null },
      { actor_name: 'Ada Lovelace', target: ada.handle, target_name: 'Ada Lovelace' },
    ])
  })

  it('loses an event if its change is rolled back', async () => {
    const refused = transaction(async (tx) => {
      await recordAudit(tx, { actorId: null, action: 'models_replaced', target: null })
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    const { rowCount } = await db.pool.query("SELECT 1 FROM audit_events WHERE action = 'models_replaced'")
    expect(rowCount).toBe(0)
  })

  it('shortens a long detail', async () => {
    const ada = await makePerson()
    const project = await createProject(ada.actor, { project_id: 'wide', members: [] })
    const handles = Array.from({ length: 900 }, (_, n) => `somebody-${n}`)
    await updateProject(ada.actor, project.id, { add_members: handles })
    const { rows } = await db.pool.query(
      "SELECT detail, octet_length(detail::text) AS bytes FROM audit_events WHERE action = 'project_updated' AND actor_id = $1",
      [ada.id],
    )
    expect(rows).toMatchObject([{ detail: { shortened: true } }])
    expect(rows[0].bytes).toBeLessThan(6000)
    const bypass = db.pool.query(
      "INSERT INTO audit_events (id, action, detail) VALUES (gen_random_uuid(), 'written', jsonb_build_object('x', repeat('y', 9000)))",
    )
    await expect(bypass).rejects.toMatchObject({ constraint: 'audit_events_detail_size' })
  })

  it('keeps an event for the retention, by default two years', async () => {
    const ages = [729, 731, 3000]
    for (const days of ages) {
      await db.pool.query(
        "INSERT INTO audit_events (id, action, target, at) VALUES (gen_random_uuid(), 'aged', $1::text, now() - make_interval(days => $1::text::int))",
        [String(days)],
      )
    }
    const kept = async () =>
      (await db.pool.query("SELECT target FROM audit_events WHERE action = 'aged' ORDER BY at")).rows.map(
        ({ target }) => target,
      )
    await deleteOldAuditEvents()
    expect(await kept()).toEqual(['729'])
    expect(limitVariables.GPUQ_AUDIT_RETENTION_DAYS.safeParse('89').success).toBe(false)
    expect(limitVariables.GPUQ_AUDIT_RETENTION_DAYS.safeParse('90').success).toBe(true)
  })

  it('has a limit per day for a researcher, who can still revoke, delete and sign in', async () => {
    const [admin, ada] = [await makePerson('admin'), await makePerson()]
    const fill = (id: string) =>
      db.pool.query(
        "INSERT INTO audit_events (id, actor_id, action) SELECT gen_random_uuid(), $1, 'changed' FROM generate_series(1, $2::int)",
        [id, eventsPerDay],
      )
    const { token_id } = await createToken(ada.actor, { name: 'one', scopes: ['read'], expires_in_days: 1 })
    // Somebody else tries her password.
    await db.pool.query(
      "INSERT INTO audit_events (id, actor_id, action) SELECT gen_random_uuid(), $1, 'sign_in_failed' FROM generate_series(1, $2::int)",
      [ada.id, eventsPerDay],
    )
    const more = () => createProject(ada.actor, { project_id: `p-${Math.random()}`, members: [] })
    await more()
    await fill(ada.id)
    await fill(admin.id)
    await expect(more()).rejects.toMatchObject({ code: 'rate_limited' })
    await revokeToken(ada.actor, token_id)
    await recordAudit(db.pool, { actorId: ada.id, action: 'sign_in', target: ada.handle })
    await createProject(admin.actor, { project_id: 'p', members: [] })
    const recorded = async () =>
      (
        await db.pool.query("SELECT 1 FROM audit_events WHERE actor_id = $1 AND action ~ '_revoked$'", [
          ada.id,
        ])
      ).rowCount
    await db.pool.query(
      "INSERT INTO audit_events (id, actor_id, action) SELECT gen_random_uuid(), $1, 'x_revoked' FROM generate_series(1, $2::int)",
      [ada.id, eventsPerDay],
    )
    const before = await recorded()
    await recordAudit(db.pool, { actorId: ada.id, action: 'token_revoked', target: 'one more' })
    expect(await recorded()).toBe(before)
    await db.pool.query("UPDATE audit_events SET at = now() - interval '25 hours' WHERE actor_id = $1", [
      ada.id,
    ])
    await more()
  })
})
