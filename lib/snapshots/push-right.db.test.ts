import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerProjectInvitation, listProjectInvitations } from '../access/projects/project-invitations'
import { getProject, updateProject } from '../access/projects/projects'
import { makePerson, type Person } from '../access/testing/people'
import { uploadFiles } from '../archives/testing/upload-files'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { createJoinLink } from '../join-links/join-links'
import { joinProject } from '../join-links/join-project'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import { deleteSnapshot, deleteVersions } from './delete-snapshots'
import { pushSnapshot } from './push-snapshot'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
/** The owner, an assistant, and two participants: one was invited, the other came by a join link. */
let [owner, manager, invited, joined] = [] as unknown as [Person, Person, Person, Person]
let projectId: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-push-right-'))
  setStorage(diskStore(root))
  // Creates the environment.
  await makeJob()
})
afterAll(() => rm(root, { recursive: true }))

beforeEach(async () => {
  ;[owner, manager, invited, joined] = [
    await makePerson(),
    await makePerson(),
    await makePerson(),
    await makePerson(),
  ]
  projectId = (await uploadFiles(owner, 'class', { of: owner.handle })).projectId
  await updateProject(owner.actor, projectId, { add_members: [invited.handle] })
  const [invitation] = await listProjectInvitations(invited.actor)
  await answerProjectInvitation(invited.actor, invitation?.id ?? '', { accept: true })
  for (const person of [joined, manager]) await joinByLink(person)
  await db.pool.query(`UPDATE memberships SET role = 'manager' WHERE user_id = $1`, [manager.id])
})

async function joinByLink(person: Person): Promise<void> {
  const request = { max_people: 10, expires_in_days: 1, new_accounts: false }
  const { url } = await createJoinLink(owner.actor, projectId, request, 'http://localhost')
  await joinProject(person.actor, url.slice(url.lastIndexOf('/') + 1), async () => ({}), '192.0.2.1')
}

async function push(who: Person, content: string) {
  const { hash } = await uploadFiles(who, 'class', { 'start.py': content })
  return pushSnapshot(who.actor, projectId, { name: 'start', archive: hash })
}

const change = (who: Person, changes: object) => updateProject(who.actor, projectId, changes)
const forbidden = { code: 'forbidden' }

describe('the right to push snapshots', () => {
  it('has the owner, a manager and an invited member, but nobody who came by a join link', async () => {
    for (const who of [owner, manager, invited]) {
      expect(await push(who, `of ${who.handle}`)).toMatchObject({ created: true })
      expect(await getProject(who.actor, projectId)).toMatchObject({ may_push: true })
    }
    await expect(push(joined, 'hostile')).rejects.toMatchObject({
      ...forbidden,
      message: `Only the owner, managers, and members with the right to push may push and delete snapshots of this project. Ask "${owner.handle}" or "${manager.handle}" for the right: it is given on the page of the project "class".`,
    })
    const project = await getProject(joined.actor, projectId)
    expect(project).toMatchObject({ may_push: false, pushers: [invited.handle] })
  })

  it('is given and taken by the owner and managers, and by no other member', async () => {
    for (const who of [joined, invited]) {
      await expect(change(who, { add_pushers: [joined.handle] })).rejects.toMatchObject(forbidden)
      await expect(change(who, { remove_pushers: [invited.handle] })).rejects.toMatchObject(forbidden)
    }
    const asTyped = joined.handle.toUpperCase()
    expect((await change(manager, { add_pushers: [asTyped] })).pushers).toContain(joined.handle)
    expect(await push(joined, 'allowed')).toMatchObject({ created: true })
    expect((await change(owner, { remove_pushers: [invited.handle] })).pushers).toEqual([joined.handle])
    await expect(push(invited, 'late')).rejects.toMatchObject(forbidden)
    await expect(change(owner, { add_pushers: ['nobody-here'] })).rejects.toMatchObject({
      errors: [{ path: 'add_pushers', message: expect.stringContaining('is not a member') }],
    })
    const { rows } = await db.pool.query(
      `SELECT actor_id, detail FROM audit_events WHERE action = 'project_updated' AND target = $1 AND detail ? 'add_pushers'`,
      [`${owner.handle}/class`],
    )
    expect(rows).toEqual([{ actor_id: manager.id, detail: { add_pushers: [asTyped] } }])
  })

  it('is needed to delete a version, also one of their own', async () => {
    const version = await push(invited, 'used by the class')
    await change(owner, { remove_pushers: [invited.handle] })
    await expect(deleteSnapshot(invited.actor, version.id)).rejects.toMatchObject(forbidden)
    await expect(deleteVersions(invited.actor, projectId, 'start')).rejects.toMatchObject(forbidden)
    await deleteSnapshot(owner.actor, version.id)
  })

  it('is not left to a manager who came by a join link and becomes a member again', async () => {
    await change(owner, { remove_managers: [manager.handle] })
    await expect(push(manager, 'late')).rejects.toMatchObject(forbidden)
  })
})
