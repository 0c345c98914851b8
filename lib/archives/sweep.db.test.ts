import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../access/testing/people'
import { makeJob } from '../cluster/testing/rows'
import { frameHeader } from '../contract/archives/archive-frames'
import { testDatabase } from '../database/testing/test-database'
import { transaction } from '../database/transaction'
import { findArchive } from '../jobs/submission/submission-archive'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import type { ObjectStore } from '../storage/store'
import { blobKey } from './blob-key'
import { receiveBlobs } from './receive'
import { registerArchive } from './register'
import { sweepArchives } from './sweep'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let root: string
let store: ObjectStore
let person: Person

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-sweep-'))
  store = diskStore(root)
  setStorage(store)
})
beforeEach(async () => {
  person = await makePerson()
})
afterAll(() => rm(root, { recursive: true }))

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const entryOf = (content: Buffer) => ({
  path: sha256(content).slice(0, 8),
  bytes: content.length,
  sha256: sha256(content),
})

/** Uploads a directory with these contents, in the same steps as a client. */
async function upload(...contents: Buffer[]) {
  // The rate limit for directories is per user.
  const register = () => registerArchive(person.actor, 'project', contents.map(entryOf))
  await register()
  const frames = contents.map((content) =>
    Buffer.concat([frameHeader(sha256(content), content.length), content]),
  )
  await receiveBlobs(person.actor, 'project', new Blob(frames.map((frame) => new Uint8Array(frame))).stream())
  const { archive, missing } = await register()
  expect(missing).toEqual([])
  const { rows } = await db.pool.query<{ id: string; project_id: string }>(
    `SELECT a.id, a.project_id FROM archives a JOIN projects p ON p.id = a.project_id
      WHERE p.owner_id = $1 AND a.hash = decode($2, 'hex')`,
    [person.id, archive],
  )
  return { id: rows[0]?.id ?? '', projectId: rows[0]?.project_id ?? '' }
}

const dayMs = 24 * 60 * 60_000
/** By then, objects without a row no longer count as uploads in progress. */
const inTwoDays = () => new Date(Date.now() + 2 * dayMs)
const has = async (projectId: string, content: Buffer) => store.has(blobKey(projectId, sha256(content)))
const exists = async (archiveId: string) =>
  (await db.pool.query('SELECT 1 FROM archives WHERE id = $1', [archiveId])).rowCount === 1

/**
 * Repeats uploads whose contents the sweeper deleted, like a client. Each content can be lost only once, while it is
 * new.
 */
async function shipUntilDone(contents: Buffer[], tries = contents.length): Promise<void> {
  await upload(...contents).catch((error: unknown) => {
    if (tries === 0) throw error
    return shipUntilDone(contents, tries - 1)
  })
}

async function whileSweeping<Value>(action: () => Promise<Value>): Promise<Value> {
  let sweeping = true
  const sweeps = (async () => {
    while (sweeping) await sweepArchives(store, new Date())
  })()
  return action().finally(async () => {
    sweeping = false
    await sweeps
  })
}

const ownerOf = (projectId: string) => ({
  callerId: person.id,
  callerIsAdmin: false,
  userId: person.id,
  projectId,
  restriction: null,
  tokenId: null,
})

/** Creates objects of uploads that died two days ago. */
async function leaveAsLeftovers(projectId: string, contents: Buffer[]): Promise<void> {
  await db.pool.query('DELETE FROM archives WHERE project_id = $1', [projectId])
  await db.pool.query('DELETE FROM archive_blobs WHERE project_id = $1', [projectId])
  const written = new Date(Date.now() - 2 * dayMs)
  for (const content of contents)
    await utimes(join(root, blobKey(projectId, sha256(content))), written, written)
}

/** Moves all timestamps this many days into the past. */
async function age(days: number): Promise<void> {
  await db.pool.query('UPDATE archives SET created_at = created_at - make_interval(days => $1)', [days])
  await db.pool.query('UPDATE archive_holders SET held_at = held_at - make_interval(days => $1)', [days])
  await db.pool.query('UPDATE archive_blobs SET stored_at = stored_at - make_interval(days => $1)', [days])
}

async function jobWith(archiveId: string, ended: string | null): Promise<string> {
  const job = await makeJob({ userId: person.id })
  await db.pool.query(
    'UPDATE jobs SET archive_id = $2, project_id = a.project_id FROM archives a WHERE jobs.id = $1 AND a.id = $2',
    [job, archiveId],
  )
  if (ended !== null)
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() - $2::interval WHERE id = $1`,
      [job, ended],
    )
  return job
}

async function untilSweepWaits(): Promise<void> {
  for (;;) {
    const { rowCount } = await db.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'SELECT a.id FROM archives%'`,
    )
    if (rowCount) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('sweeping', () => {
  it('deletes a directory that had no job for a week, and contents that no other directory uses', async () => {
    const [own, shared] = [randomBytes(10), randomBytes(10)]
    const unused = await upload(own, shared)
    await age(8)
    const fresh = await upload(shared)
    await sweepArchives(store, inTwoDays())
    expect(await exists(unused.id)).toBe(false)
    expect(await exists(fresh.id)).toBe(true)
    expect(await has(unused.projectId, own)).toBe(false)
    expect(await has(unused.projectId, shared)).toBe(true)
  })

  it('keeps the directories of live jobs, and of ended jobs for the retention of their project', async () => {
    const contents = [randomBytes(10), randomBytes(10), randomBytes(10)] as const
    const [live, ended, old] = [
      await upload(contents[0]),
      await upload(contents[1]),
      await upload(contents[2]),
    ]
    await jobWith(live.id, null)
    await jobWith(ended.id, '10 days')
    const oldJob = await jobWith(old.id, '40 days')
    await age(100)
    await sweepArchives(store, inTwoDays())
    expect([await exists(live.id), await exists(ended.id), await exists(old.id)]).toEqual([true, true, true])
    await db.pool.query('UPDATE projects SET retention_days = 30 WHERE id = $1', [old.projectId])
    await sweepArchives(store, inTwoDays())
    expect([await exists(live.id), await exists(ended.id), await exists(old.id)]).toEqual([true, true, false])
    expect(await has(live.projectId, contents[0])).toBe(true)
    expect(await has(old.projectId, contents[2])).toBe(false)
    const { rows } = await db.pool.query('SELECT archive_id FROM jobs WHERE id = $1', [oldJob])
    expect(rows).toEqual([{ archive_id: null }])
  })

  it('keeps a directory while a job with it is being submitted', async () => {
    const content = randomBytes(10)
    const { id, projectId } = await upload(content)
    const { rows } = await db.pool.query<{ hash: string }>(
      `SELECT encode(hash, 'hex') AS hash FROM archives WHERE id = $1`,
      [id],
    )
    const config = { archive: rows[0]?.hash ?? '', project_id: 'project' }
    await age(100)
    const job = await makeJob({ userId: person.id })
    const sweep = await transaction(async (tx) => {
      expect(await findArchive(tx, ownerOf(projectId), config, true)).toMatchObject({ directory: { id } })
      const sweep = sweepArchives(store, inTwoDays())
      await untilSweepWaits()
      await tx.query('UPDATE jobs SET archive_id = $2, project_id = $3 WHERE id = $1', [job, id, projectId])
      // Awaited only after the job exists, because the sweep waits for it.
      return { sweep }
    })
    await sweep.sweep
    expect(await exists(id)).toBe(true)
    expect(await has(projectId, content)).toBe(true)
  })

  it('makes a late submission fail with the advice to upload again', async () => {
    const { id, projectId } = await upload(randomBytes(10))
    const { rows } = await db.pool.query<{ hash: string }>(
      `SELECT encode(hash, 'hex') AS hash FROM archives WHERE id = $1`,
      [id],
    )
    await age(100)
    await sweepArchives(store, inTwoDays())
    const config = { archive: rows[0]?.hash ?? '', project_id: 'project' }
    await expect(findArchive(db.pool, ownerOf(projectId), config, true)).rejects.toMatchObject({
      code: 'invalid_fields',
      message: expect.stringContaining('was deleted because no job needed it: upload it again'),
    })
  })

  it('removes objects without a row: of dead uploads and of deleted projects', async () => {
    const content = randomBytes(10)
    const { projectId } = await upload(content)
    const stray = sha256(randomBytes(10))
    await store.write(blobKey(projectId, stray), new Blob(['x']).stream())
    await db.pool.query('DELETE FROM archives WHERE project_id = $1', [projectId])
    await db.pool.query('DELETE FROM projects WHERE id = $1', [projectId])
    await sweepArchives(store, inTwoDays())
    expect(await has(projectId, content)).toBe(false)
    expect(await store.has(blobKey(projectId, stray))).toBe(false)
  })

  it('keeps what is being uploaded', async () => {
    const contents = Array.from({ length: 20 }, () => randomBytes(10))
    const { projectId } = await whileSweeping(() => upload(...contents))
    for (const content of contents) expect(await has(projectId, content)).toBe(true)
  })

  it('may request an unknown object again, but never removes one from a directory', async () => {
    const contents = Array.from({ length: 20 }, () => randomBytes(10))
    const { projectId } = await upload(...contents)
    for (let round = 0; round < 5; round++) {
      await leaveAsLeftovers(projectId, contents)
      await whileSweeping(() => shipUntilDone(contents))
      for (const content of contents) expect(await has(projectId, content)).toBe(true)
    }
  })
})
