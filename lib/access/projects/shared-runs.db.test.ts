import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteCheckpoints } from '../../checkpoints/delete-checkpoints'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { resolveRun } from '../../jobs/submission/resolve-run'
import { makePerson, type Person } from '../testing/people'
import { getProject, updateProject } from './projects'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let [owner, manager, member] = [] as unknown as [Person, Person, Person]
let projectId = ''

beforeEach(async () => {
  ;[owner, manager, member] = [await makePerson(), await makePerson(), await makePerson()]
  await makeJob({ userId: owner.id })
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM projects WHERE owner_id = $1', [
    owner.id,
  ])
  projectId = rows[0]?.id ?? ''
  const join = 'INSERT INTO memberships (project_id, user_id, role) VALUES ($1, $2, $3)'
  await db.pool.query(join, [projectId, manager.id, 'manager'])
  await db.pool.query(join, [projectId, member.id, 'member'])
})

/** A run of the owner that the member shares. Returns its id. */
async function shareOldRun(): Promise<string> {
  const run = await resolveRun(db.pool, { userId: owner.id, projectId, restriction: null }, 'base')
  await db.pool.query('INSERT INTO run_users (run_id, user_id) VALUES ($1, $2)', [run, member.id])
  return run
}

describe('sharing runs', () => {
  it('is decided by the owner, managers and admins, not by members, and leaves an audit event', async () => {
    const admin = await makePerson('admin')
    expect(await getProject(member.actor, projectId)).toMatchObject({ share_runs: false })
    for (const { actor } of [owner, manager, admin]) {
      for (const share_runs of [true, false])
        expect(await updateProject(actor, projectId, { share_runs })).toMatchObject({ share_runs })
      const { rows } = await db.pool.query(
        `SELECT detail FROM audit_events WHERE actor_id = $1 AND action = 'project_updated' ORDER BY at DESC, id DESC LIMIT 1`,
        [actor.userId],
      )
      expect(rows).toEqual([{ detail: { share_runs: false } }])
    }
    const run = await shareOldRun()
    const forbidden = { code: 'forbidden' }
    await expect(updateProject(member.actor, projectId, { share_runs: true })).rejects.toMatchObject(
      forbidden,
    )
    await expect(updateProject(member.actor, projectId, { unshare_old_runs: [run] })).rejects.toMatchObject(
      forbidden,
    )
    // A manager may still change nothing else.
    await expect(
      updateProject(manager.actor, projectId, { share_runs: true, name: 'Mine' }),
    ).rejects.toMatchObject(forbidden)
    const stranger = await makePerson()
    await expect(updateProject(stranger.actor, projectId, { share_runs: true })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await getProject(owner.actor, projectId)).toMatchObject({ share_runs: false })
  })

  it('sharing runs of an old run is shown to those who manage the project, and ends on request', async () => {
    const run = await shareOldRun()
    const shown = [{ id: run, name: 'base', users: [owner.handle, member.handle] }]
    expect((await getProject(owner.actor, projectId)).old_shared_runs).toEqual(shown)
    expect((await getProject(manager.actor, projectId)).old_shared_runs).toEqual(shown)
    expect((await getProject(member.actor, projectId)).old_shared_runs).toEqual([])
    const other = await makePerson()
    await makeJob({ userId: other.id })
    const { rows } = await db.pool.query('SELECT id FROM projects WHERE owner_id = $1', [other.id])
    await updateProject(other.actor, rows[0].id, { unshare_old_runs: [run] })
    expect((await getProject(owner.actor, projectId)).old_shared_runs).toEqual(shown)
    expect(
      (await updateProject(manager.actor, projectId, { unshare_old_runs: [run] })).old_shared_runs,
    ).toEqual([])
    expect(await resolveRun(db.pool, { userId: member.id, projectId, restriction: null }, 'base')).not.toBe(
      run,
    )
    expect(await resolveRun(db.pool, { userId: owner.id, projectId, restriction: null }, 'base')).toBe(run)
  })

  it('sharing runs of an old run ends for a member who is removed, or leaves, for good', async () => {
    const run = await shareOldRun()
    await updateProject(owner.actor, projectId, { remove_members: [member.handle.toUpperCase()] })
    await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [
      projectId,
      member.id,
    ])
    expect(await resolveRun(db.pool, { userId: member.id, projectId, restriction: null }, 'base')).not.toBe(
      run,
    )
  })

  it('sharing runs of a user who has left can be deleted by the owner of the project, and not by that user', async () => {
    const run = await shareOldRun()
    await db.pool.query('UPDATE runs SET user_id = $2 WHERE id = $1', [run, member.id])
    await db.pool.query('UPDATE run_users SET user_id = $2 WHERE run_id = $1', [run, owner.id])
    await expect(deleteCheckpoints(owner.actor, { projectId, run })).rejects.toMatchObject({
      code: 'not_found',
    })
    await updateProject(owner.actor, projectId, { remove_members: [member.handle] })
    await expect(deleteCheckpoints(member.actor, { projectId, run })).rejects.toMatchObject({
      code: 'not_found',
    })
    await deleteCheckpoints(owner.actor, { projectId, run })
  })
})
