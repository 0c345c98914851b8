import { describe, expect, it, vi } from 'vitest'
import { updatePolicy } from '../../cluster/admin/policy'
import { testDatabase } from '../../database/testing/test-database'
import { transaction } from '../../database/transaction'
import { makePerson, type Person } from '../testing/people'
import { answerProjectInvitation, listProjectInvitations } from './project-invitations'
import { createProject } from './projects'
import { findOrCreateProject } from './submission-project'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const find = ({ actor }: Person, slug: string) => transaction((tx) => findOrCreateProject(tx, actor, slug))
const noLimits = { submissionsPerMinute: null, maxActiveJobs: null, job: {} }

describe('the project of a config', () => {
  it('is created once by concurrent first submissions', async () => {
    const person = await makePerson()
    const found = await Promise.all(Array.from({ length: 50 }, () => find(person, 'my-project')))
    expect(new Set(found.map(({ id }) => id)).size).toBe(1)
    expect(found[0]?.limits).toEqual(noLimits)
    const { rows } = await db.pool.query('SELECT id FROM projects WHERE owner_id = $1', [person.id])
    expect(rows).toEqual([{ id: found[0]?.id }])
    const { rowCount } = await db.pool.query(
      "SELECT 1 FROM audit_events WHERE action = 'project_created' AND target = $1",
      [`${person.handle}/my-project`],
    )
    expect(rowCount).toBe(1)
  })

  it('is created by another submission if the first one rolls back', async () => {
    const person = await makePerson()
    let begin = () => {}
    const made = new Promise<void>((resolve) => {
      begin = resolve
    })
    const isWaiting = async () => {
      const { rowCount } = await db.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBe(1)
    }
    const takenBack = transaction(async (tx) => {
      await findOrCreateProject(tx, person.actor, 'p')
      begin()
      await vi.waitFor(isWaiting, { timeout: 60_000 })
      throw new Error('refused')
    })
    const [, kept] = await Promise.allSettled([takenBack, made.then(() => find(person, 'p'))])
    expect(kept.status).toBe('fulfilled')
    expect((await db.pool.query('SELECT 1 FROM projects WHERE owner_id = $1', [person.id])).rowCount).toBe(1)
  })

  it("is the user's own project first, then a shared one, then a new one", async () => {
    const [owner, other] = [await makePerson(), await makePerson()]
    const share = async (project_id: string) => {
      const project = await createProject(owner.actor, { project_id, members: [other.handle] })
      for (const { id } of await listProjectInvitations(other.actor)) {
        await answerProjectInvitation(other.actor, id, { accept: true })
      }
      return project
    }
    const shared = await share('shared')
    await db.pool.query('UPDATE projects SET max_active_jobs = 7 WHERE id = $1', [shared.id])
    const limits = { ...noLimits, maxActiveJobs: 7 }
    expect(await find(other, 'shared')).toEqual({ id: shared.id, limits, announced: true })

    const own = await find(other, 'own')
    await share('own')
    expect((await find(other, 'own')).id).toBe(own.id)
  })

  it('is never a project of another user without sharing', async () => {
    const [ada, bob] = [await makePerson(), await makePerson()]
    expect((await find(ada, 'same')).id).not.toBe((await find(bob, 'same')).id)
  })
})

describe('if an admin requires that projects exist', () => {
  const require = (actor: Person['actor'], require_existing_projects: boolean) =>
    updatePolicy(actor, { require_existing_projects })

  it('a submission to an unknown one is refused, and names those of the user and whom to ask', async () => {
    const [admin, ada, bob] = [await makePerson('admin'), await makePerson(), await makePerson()]
    const own = await createProject(ada.actor, { project_id: 'thesis', members: [bob.handle] })
    for (const { id } of await listProjectInvitations(bob.actor))
      await answerProjectInvitation(bob.actor, id, { accept: true })
    await require(admin.actor, true)
    try {
      const named = ` The projects of "${ada.handle}" are: thesis. Use a project that exists, `
      await expect(find(ada, 'thesys')).rejects.toMatchObject({
        code: 'invalid_fields',
        errors: [{ path: 'project_id', message: expect.stringContaining(named) }],
        message: expect.stringMatching(`ask an admin: .*${admin.handle}`),
      })
      await expect(find(await makePerson(), 'thesis')).rejects.toThrow('They have none.')
      for (const person of [ada, bob]) expect((await find(person, 'thesis')).id).toBe(own.id)
      await createProject(ada.actor, { project_id: 'thesys', members: [] })
      await find(ada, 'thesys')
    } finally {
      await require(admin.actor, false)
    }
    await find(bob, 'thesys')
  })
})
