import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerProjectInvitation, listProjectInvitations } from '../access/projects/project-invitations'
import { deleteProject, updateProject } from '../access/projects/projects'
import { makePerson, type Person } from '../access/testing/people'
import { getUser } from '../access/users/users'
import { blobKey } from '../archives/blob-key'
import { deleteArchive } from '../archives/delete-archive'
import { sweepArchives } from '../archives/sweep'
import { uploadFiles } from '../archives/testing/upload-files'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { transaction } from '../database/transaction'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import type { ObjectStore } from '../storage/store'
import { listSnapshotsSchema, listVersionsSchema } from './contract'
import { deleteSnapshot, deleteVersions } from './delete-snapshots'
import { describeMissingSnapshot, findSnapshot } from './find-snapshot'
import { listSnapshots, listVersions } from './list-snapshots'
import { pushSnapshot } from './push-snapshot'
import { shareSnapshot } from './share-snapshot'
import { compareSnapshots } from './snapshot-files'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_MAX_SNAPSHOTS', '12')
})
const db = testDatabase()
let root: string
let store: ObjectStore
let [ada, bob, admin] = [] as unknown as [Person, Person, Person]

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-snapshots-'))
  store = diskStore(root)
  setStorage(store)
  // Creates the environment.
  await makeJob()
})
beforeEach(async () => {
  ;[ada, bob, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
})
afterAll(() => rm(root, { recursive: true }))

/** Uploads a directory and names it. */
async function push(who: Person, name: string, files: Record<string, string>, project = 'p') {
  const { id: archiveId, projectId, hash } = await uploadFiles(who, project, files)
  const snapshot = await pushSnapshot(who.actor, projectId, { name, archive: hash })
  return { ...snapshot, archiveId, projectId }
}

const find = (projectId: string, reference: string) =>
  transaction((tx) => findSnapshot(tx, projectId, reference))
const list = (who: Person, projectId: string, query: object = {}) =>
  listSnapshots(who.actor, projectId, listSnapshotsSchema.parse(query))
const versions = (who: Person, projectId: string, query: object) =>
  listVersions(who.actor, projectId, listVersionsSchema.parse(query))

async function ownProject(who: Person): Promise<string> {
  return (await uploadFiles(who, 'p', { of: who.handle })).projectId
}

async function addMember(member: Person, projectId: string): Promise<void> {
  await updateProject(ada.actor, projectId, { add_members: [member.handle] })
  for (const { id } of await listProjectInvitations(member.actor))
    await answerProjectInvitation(member.actor, id, { accept: true })
}

const exists = async (archiveId: string) =>
  (await db.pool.query('SELECT 1 FROM archives WHERE id = $1', [archiveId])).rowCount === 1

/** A job of the person with a directory, of any project. */
async function jobWith(who: Person, archiveId: string): Promise<string> {
  const job = await makeJob({ userId: who.id })
  await db.pool.query('UPDATE jobs SET archive_id = $2 WHERE id = $1', [job, archiveId])
  return job
}

const endJob = (job: string) =>
  db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() - interval '200 days' WHERE id = $1`,
    [job],
  )

async function auditOf(action: string): Promise<(string | null)[]> {
  const { rows } = await db.pool.query<{ target: string }>(
    'SELECT target FROM audit_events WHERE action = $1 AND target LIKE $2 ORDER BY at, id',
    [action, `${ada.handle}/%`],
  )
  return rows.map(({ target }) => target)
}

describe('pushing', () => {
  it('counts versions by name, and makes none for the content of the newest version', async () => {
    const first = await push(ada, 'code', { a: '1' })
    expect(first).toMatchObject({ name: 'code', version: 1, created: true, files: 1, bytes: 1, own: true })
    expect(first).toMatchObject({ project_id: 'p', created_by: ada.handle, shared_at: null })
    expect(await push(ada, 'code', { a: '1' })).toMatchObject({ id: first.id, version: 1, created: false })
    expect(await push(ada, 'code', { a: '2' })).toMatchObject({ version: 2, created: true })
    // The content of an older version is a new version again.
    expect(await push(ada, 'code', { a: '1' })).toMatchObject({ version: 3, created: true })
    expect(await push(ada, 'data/x', { a: '1' })).toMatchObject({ version: 1, created: true })
  })

  it('gives concurrent pushes different numbers, and one number to the same content', async () => {
    const { projectId } = await uploadFiles(ada, 'p', { a: 'first' })
    const hashes: string[] = []
    for (let n = 0; n < 6; n++) hashes.push((await uploadFiles(ada, 'p', { a: `content ${n}` })).hash)
    const pushed = await Promise.all(
      hashes.map((archive) => pushSnapshot(ada.actor, projectId, { name: 'code', archive })),
    )
    expect(pushed.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6])
    const [archive = ''] = hashes
    const same = await Promise.all(
      Array.from({ length: 6 }, () => pushSnapshot(ada.actor, projectId, { name: 'same', archive })),
    )
    expect(same.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(same.map(({ id }) => id)).size).toBe(1)
  })

  it('never uses the number of a deleted version again', async () => {
    const one = await push(ada, 'code', { a: '1' })
    const two = await push(ada, 'code', { a: '2' })
    await deleteSnapshot(ada.actor, two.id)
    expect(await find(one.projectId, 'code')).toMatchObject({ version: 1 })
    expect(await push(ada, 'code', { a: '2' })).toMatchObject({ version: 3 })
    await deleteVersions(ada.actor, one.projectId, 'code')
    expect(await push(ada, 'code', { a: '1' })).toMatchObject({ version: 4 })
  })

  it('refuses a directory that the project does not have, and a foreign project', async () => {
    const { projectId, hash } = await uploadFiles(ada, 'p', { a: 'only of Ada' })
    const other = await ownProject(bob)
    await expect(pushSnapshot(bob.actor, other, { name: 'code', archive: hash })).rejects.toThrow(
      'the project "p" does not have this directory',
    )
    await expect(pushSnapshot(bob.actor, projectId, { name: 'code', archive: hash })).rejects.toMatchObject({
      code: 'not_found',
    })
    await addMember(bob, projectId)
    await expect(pushSnapshot(bob.actor, projectId, { name: 'code', archive: hash })).rejects.toThrow(
      'the project "p" does not have this directory from you',
    )
    await pushSnapshot(ada.actor, projectId, { name: 'code', archive: hash })
    expect(await pushSnapshot(bob.actor, projectId, { name: 'again', archive: hash })).toMatchObject({
      created_by: bob.handle,
    })
  })

  it('refuses more snapshots than the limit', async () => {
    const { projectId, hash } = await uploadFiles(ada, 'p', { a: '1' })
    const names = Array.from({ length: 20 }, (_, n) => `code${n}`)
    const outcomes = await Promise.allSettled(
      names.map((name) => pushSnapshot(ada.actor, projectId, { name, archive: hash })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(12)
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict', message: expect.stringContaining('GPUQ_MAX_SNAPSHOTS') },
    })
  })
})

describe('the names of a project', () => {
  it('are limited, also those of deleted snapshots', async () => {
    const { projectId } = await push(ada, 'code', { a: '1' })
    await db.pool.query(
      `INSERT INTO snapshot_names (project_id, name, last_version)
       SELECT $1, 'deleted-' || n, 1 FROM generate_series(1, 9999) n`,
      [projectId],
    )
    await expect(push(ada, 'new', { a: '2' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('10000 names'),
    })
    await push(ada, 'deleted-7', { a: '2' })
    await db.pool.query("DELETE FROM snapshot_names WHERE project_id = $1 AND name LIKE 'deleted-%'", [
      projectId,
    ])
  })
})

describe('finding', () => {
  it('returns the newest version of a name, or the named one', async () => {
    const one = await push(ada, 'code', { a: '1' })
    const two = await push(ada, 'code', { a: '22', b: '2' })
    expect(await find(one.projectId, 'code')).toEqual({
      snapshotId: two.id,
      name: 'code',
      version: 2,
      archiveId: two.archiveId,
      hash: two.archive,
      files: 2,
      bytes: 3,
    })
    expect(await find(one.projectId, 'code@1')).toMatchObject({ snapshotId: one.id })
    for (const missing of ['code@3', 'cod', 'not a name'])
      expect(await find(one.projectId, missing), missing).toBeNull()
  })

  it('finds a snapshot of another project only while it is shared, and the own one first', async () => {
    const one = await push(ada, 'data/x', { a: '1' })
    await push(ada, 'data/x', { a: '2' })
    const bobs = await ownProject(bob)
    expect(await find(bobs, 'data/x')).toBeNull()
    await shareSnapshot(admin.actor, one.id, true)
    expect(await find(bobs, 'data/x')).toMatchObject({ snapshotId: one.id })
    expect(await find(bobs, 'data/x@1')).toMatchObject({ snapshotId: one.id })
    expect(await find(bobs, 'data/x@2')).toBeNull()
    const own = await push(bob, 'data/x', { a: 'of Bob' })
    expect(await find(bobs, 'data/x')).toMatchObject({ snapshotId: own.id })
    await push(bob, 'data/x', { a: 'of Bob, again' })
    await deleteSnapshot(bob.actor, own.id)
    // Version 1 of the own name is gone: it does not become that of another project.
    expect(await find(bobs, 'data/x@1')).toBeNull()
    await deleteVersions(bob.actor, bobs, 'data/x')
    expect(await find(bobs, 'data/x@1')).toMatchObject({ snapshotId: one.id })
    await shareSnapshot(admin.actor, one.id, false)
    expect(await find(bobs, 'data/x@1')).toBeNull()
  })

  it('keeps the snapshot and its directory until the transaction ends, and then finds the version before', async () => {
    const one = await push(ada, 'code', { a: '1' })
    const two = await push(ada, 'code', { a: '2' })
    let deleting: Promise<void> | undefined
    await transaction(async (tx) => {
      await findSnapshot(tx, one.projectId, 'code')
      deleting = deleteSnapshot(ada.actor, two.id)
      await untilWaiting()
      const { rowCount } = await tx.query('SELECT 1 FROM snapshots WHERE id = $1', [two.id])
      expect(rowCount).toBe(1)
    })
    await deleting
    expect(await find(one.projectId, 'code')).toMatchObject({ snapshotId: one.id })
  })

  it('finds the version before if the newest is deleted meanwhile', async () => {
    const one = await push(ada, 'code', { a: '1' })
    const two = await push(ada, 'code', { a: '2' })
    let finding: ReturnType<typeof find> | undefined
    await transaction(async (tx) => {
      await tx.query('DELETE FROM snapshots WHERE id = $1', [two.id])
      finding = find(one.projectId, 'code')
      await untilWaiting()
    })
    expect(await finding).toMatchObject({ snapshotId: one.id })
  })

  it('answers that there is none if it is deleted while it becomes shared', async () => {
    const { id } = await push(ada, 'code', { a: '1' })
    let sharing: Promise<unknown> | undefined
    await transaction(async (tx) => {
      await tx.query('DELETE FROM snapshots WHERE id = $1', [id])
      sharing = shareSnapshot(admin.actor, id, true).catch((error) => error.code)
      await untilWaiting()
    })
    expect(await sharing).toBe('not_found')
    expect(await auditOf('snapshot_shared')).toEqual([])
  })

  it('says which names and versions the user may have meant', async () => {
    const { projectId: id } = await push(ada, 'code', { a: '1' })
    const describeMissing = (reference: string) =>
      transaction((tx) => describeMissingSnapshot(tx, { id, slug: 'p' }, reference))
    expect(await describeMissing('cdoe')).toBe('the project "p" has no snapshot cdoe. Did you mean code?')
    expect(await describeMissing('code@7')).toBe(
      'the project "p" has no snapshot code@7. code has only the version 1',
    )
    await push(ada, 'code', { a: '2' })
    expect(await describeMissing('code@7')).toContain('code has the versions 2, 1')
    expect(await describeMissing('weights')).toBe(
      'the project "p" has no snapshot weights. It has code, or make one with "gpuq push DIR --name weights --project p"',
    )
    const none = await ownProject(bob)
    expect(await transaction((tx) => describeMissingSnapshot(tx, { id: none, slug: 'p' }, 'code'))).toContain(
      'no other: make one with "gpuq push DIR --name code --project p"',
    )
  })
})

async function untilWaiting(): Promise<void> {
  for (;;) {
    const { rowCount } = await db.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%snapshots%'`,
    )
    if (rowCount) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('listing', () => {
  it('shows the newest version under each name in pages, with those that others share', async () => {
    const { projectId, id } = await push(ada, 'b', { a: '1' })
    await push(ada, 'a/b', { a: '1' })
    await push(ada, 'b', { a: '2' })
    const shared = await push(bob, 'shared', { a: 'of Bob' })
    await push(bob, 'secret', { a: 'of Bob' })
    await shareSnapshot(admin.actor, shared.id, true)
    const first = await list(ada, projectId, { limit: 2 })
    expect(first.items).toMatchObject([
      { name: 'a/b', version: 1, versions: 1, own: true },
      { name: 'b', version: 2, versions: 2, created_by: ada.handle },
    ])
    const second = await list(ada, projectId, { limit: 2, cursor: first.next })
    expect(second).toMatchObject({
      items: [{ name: 'shared', own: false, created_by: null, created_by_name: null }],
      next: null,
    })
    const page = await versions(ada, projectId, { name: 'b', limit: 1 })
    expect(page.items).toMatchObject([{ version: 2 }])
    expect(await versions(ada, projectId, { name: 'b', limit: 1, cursor: page.next })).toMatchObject({
      items: [{ id, version: 1 }],
      next: null,
    })
    expect((await versions(ada, projectId, { name: 'b', version: '1' })).items).toMatchObject([{ id }])
    await expect(versions(ada, projectId, { name: 'b', cursor: 'WyJ4Il0' })).rejects.toThrow('cursor')
    await expect(list(bob, projectId)).rejects.toMatchObject({ code: 'not_found' })
    await expect(versions(bob, projectId, { name: 'b' })).rejects.toMatchObject({ code: 'not_found' })
    expect((await list(admin, projectId)).items).toHaveLength(3)
    await shareSnapshot(admin.actor, shared.id, false)
  })
})

describe('comparing', () => {
  it('lists what differs, for those who may see both', async () => {
    const one = await push(ada, 'code', { 'train.py': '1', old: 'x' })
    const two = await push(ada, 'code', { 'train.py': '22', new: 'yyy' })
    const compare = (who: Person) => compareSnapshots(who.actor, two.id, { since: one.id, limit: 10 })
    expect(await compare(ada)).toMatchObject({
      added: { files: 1, bytes: 3 },
      removed: { files: 1, bytes: 1 },
      changed: { files: 1, bytes: 2 },
      files: [{ path: 'new' }, { path: 'old' }, { path: 'train.py', bytes_before: 1, bytes_after: 2 }],
    })
    await expect(compare(bob)).rejects.toMatchObject({ code: 'not_found' })
    await shareSnapshot(admin.actor, two.id, true)
    await expect(compare(bob)).rejects.toMatchObject({ code: 'not_found' })
    await shareSnapshot(admin.actor, one.id, true)
    expect((await compare(bob)).files).toHaveLength(3)
    for (const { id } of [one, two]) await shareSnapshot(admin.actor, id, false)
  })
})

describe('sharing', () => {
  it('is for admins, in the audit log, and once per name', async () => {
    const one = await push(ada, 'data/y', { a: '1' })
    await expect(shareSnapshot(ada.actor, one.id, true)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await shareSnapshot(admin.actor, one.id, true)).toMatchObject({ shared_at: expect.any(String) })
    // A repeated request changes nothing.
    await shareSnapshot(admin.actor, one.id, true)
    const other = await push(bob, 'data/y', { a: 'other' })
    await expect(shareSnapshot(admin.actor, other.id, true)).rejects.toThrow(
      `${ada.handle}/p already shares a snapshot "data/y"`,
    )
    const second = await push(ada, 'data/y', { a: '2' })
    await shareSnapshot(admin.actor, second.id, true)
    for (const { id } of [one, second]) await shareSnapshot(admin.actor, id, false)
    expect(await auditOf('snapshot_shared')).toEqual([`${ada.handle}/p/data/y@1`, `${ada.handle}/p/data/y@2`])
    expect(await auditOf('snapshot_unshared')).toHaveLength(2)
    const race = await Promise.allSettled([one, other].map(({ id }) => shareSnapshot(admin.actor, id, true)))
    expect(race.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const { id } of [one, other]) await shareSnapshot(admin.actor, id, false)
  })
})

describe('deleting', () => {
  it('is for the creator, the owner of the project and admins', async () => {
    const { projectId } = await push(ada, 'code', { a: '1' })
    const carol = await makePerson()
    for (const member of [bob, carol]) await addMember(member, projectId)
    const { hash } = await uploadFiles(bob, 'p', { a: 'pushed by Bob' })
    const bobs = await pushSnapshot(bob.actor, projectId, { name: 'code', archive: hash })
    await expect(deleteSnapshot(carol.actor, bobs.id)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(deleteVersions(bob.actor, projectId, 'code')).rejects.toThrow('Another member made code@1.')
    await expect(deleteSnapshot((await makePerson()).actor, bobs.id)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await versions(ada, projectId, { name: 'code' })).items).toHaveLength(2)
    await deleteSnapshot(bob.actor, bobs.id)
    await deleteVersions(admin.actor, projectId, 'code')
    expect((await list(ada, projectId)).items).toEqual([])
    expect(await auditOf('snapshot_deleted')).toEqual([`${ada.handle}/p/code@2`, `${ada.handle}/p/code@1`])
    await expect(deleteVersions(ada.actor, projectId, 'code')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is refused while it is shared, also together with its project', async () => {
    const one = await push(ada, 'shared/z', { a: '1' })
    await shareSnapshot(admin.actor, one.id, true)
    await expect(deleteSnapshot(ada.actor, one.id)).rejects.toThrow('shared/z@1 is shared with everyone')
    await expect(deleteVersions(admin.actor, one.projectId, 'shared/z')).rejects.toThrow('is shared')
    await expect(deleteSnapshot(bob.actor, one.id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(deleteProject(ada.actor, one.projectId)).rejects.toThrow('shared/z@1 is shared')
    const job = await jobWith(bob, one.archiveId)
    await shareSnapshot(admin.actor, one.id, false)
    await expect(deleteProject(ada.actor, one.projectId)).rejects.toThrow('A job of another project')
    await endJob(job)
    await deleteProject(ada.actor, one.projectId)
    expect(await exists(one.archiveId)).toBe(false)
  })

  it('deletes a directory and its contents that nothing else needs, and keeps that of a live job', async () => {
    const one = await push(ada, 'code', { a: 'only in 1', b: 'in both' })
    const two = await push(ada, 'code', { a: 'only in 2', b: 'in both' })
    const job = await jobWith(ada, two.archiveId)
    const stored = async () => {
      const keys = []
      for await (const { key } of store.list(`blobs/${one.projectId}`)) keys.push(key)
      return keys.length
    }
    expect(await stored()).toBe(3)
    await deleteSnapshot(ada.actor, one.id)
    expect(await exists(one.archiveId)).toBe(false)
    expect(await stored()).toBe(2)
    await deleteSnapshot(ada.actor, two.id)
    expect(await exists(two.archiveId)).toBe(true)
    expect(await stored()).toBe(2)
    await endJob(job)
    await deleteArchive(ada.actor, two.archiveId)
    expect(await stored()).toBe(0)
  })

  it('keeps a directory that has another name', async () => {
    const one = await push(ada, 'code', { a: '1' })
    const other = await push(ada, 'release', { a: '1' })
    await deleteSnapshot(ada.actor, one.id)
    expect(await exists(other.archiveId)).toBe(true)
    await expect(deleteArchive(ada.actor, other.archiveId)).rejects.toThrow(
      'This directory is the snapshot release@1. Delete the snapshot instead.',
    )
  })
})

describe('the storage of a snapshot', () => {
  const usedBy = async ({ actor, handle }: Person) => (await getUser(actor, handle)).storage.by_kind.archives

  it('counts to the owner of the project, once for each member who has it, and is free after its deletion', async () => {
    const { projectId, id } = await push(ada, 'code', { a: '12345', b: '678' })
    await push(ada, 'release', { a: '12345', b: '678' })
    await push(ada, 'code', { a: '12345', b: '9' })
    expect(await usedBy(ada)).toBe(9)
    await addMember(bob, projectId)
    const { hash } = await uploadFiles(bob, 'p', { a: '12345' })
    await pushSnapshot(bob.actor, projectId, { name: 'of-bob', archive: hash })
    await shareSnapshot(admin.actor, id, true)
    expect([await usedBy(ada), await usedBy(bob), await usedBy(admin)]).toEqual([14, 0, 0])
    await shareSnapshot(admin.actor, id, false)
    for (const name of ['code', 'release']) await deleteVersions(ada.actor, projectId, name)
    // What Bob named is left.
    expect(await usedBy(ada)).toBe(5)
  })
})

describe('sweeping', () => {
  const age = (archiveId: string) =>
    db.pool.query(`UPDATE archives SET created_at = now() - interval '300 days' WHERE id = $1`, [archiveId])

  it('keeps the directory of a snapshot for ever', async () => {
    const named = await push(ada, 'code', { a: 'kept' })
    const nameless = await uploadFiles(ada, 'p', { a: 'swept' })
    for (const id of [named.archiveId, nameless.id]) await age(id)
    await db.pool.query(`UPDATE archive_blobs SET stored_at = now() - interval '300 days'`)
    await endJob(await jobWith(ada, named.archiveId))
    await sweepArchives(store, new Date())
    expect(await exists(named.archiveId)).toBe(true)
    expect(await exists(nameless.id)).toBe(false)
    const { sha256 } = (
      await db.pool.query(`SELECT manifest->'entries'->0->>'sha256' AS sha256 FROM archives WHERE id = $1`, [
        named.archiveId,
      ])
    ).rows[0] as { sha256: string }
    expect(await store.has(blobKey(named.projectId, sha256))).toBe(true)
  })

  it('never loses the directory of a concurrent push', async () => {
    const { id, projectId, hash } = await uploadFiles(ada, 'p', { a: 'raced' })
    for (let n = 0; n < 10; n++) {
      await age(id)
      const [pushed] = await Promise.allSettled([
        pushSnapshot(ada.actor, projectId, { name: `race${n}`, archive: hash }),
        sweepArchives(store, new Date()),
      ])
      // The sweep was first: the client uploads again.
      if (pushed.status === 'rejected') return
      expect(await exists(id)).toBe(true)
    }
  })
})
