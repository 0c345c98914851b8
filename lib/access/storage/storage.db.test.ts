import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteArchive } from '../../archives/delete-archive'
import { receiveBlobs } from '../../archives/receive'
import { registerArchive } from '../../archives/register'
import { listArtifacts } from '../../artifacts/artifacts'
import { downloadArtifact } from '../../artifacts/download-artifacts'
import { deleteCheckpoints } from '../../checkpoints/delete-checkpoints'
import { makeJob, setRun } from '../../cluster/testing/rows'
import { frameHeader } from '../../contract/archives/archive-frames'
import { parseConfig } from '../../contract/config/config'
import { compactLedger, recountLedger } from '../../database/ledger'
import { testDatabase } from '../../database/testing/test-database'
import { downloadResultFile } from '../../jobs/downloads/download'
import { deleteJobFiles } from '../../jobs/lifecycle/delete-files'
import { deleteOldFiles } from '../../jobs/lifecycle/retention'
import { updateJob } from '../../jobs/lifecycle/update-job'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { readSource } from '../../jobs/read/read'
import { accept } from '../../jobs/submission/accept'
import { resolveRun } from '../../jobs/submission/resolve-run'
import { artifactKey, resultKey } from '../../results/name'
import { storeResult } from '../../results/result-files'
import { diskStore } from '../../storage/disk'
import { setFreeBytes } from '../../storage/free-space'
import { setStorage } from '../../storage/storage'
import { parts } from '../../storage/testing/contract'
import { recordAudit } from '../audit'
import { answerProjectInvitation, listProjectInvitations } from '../projects/project-invitations'
import { getProject, updateProject } from '../projects/projects'
import { makePerson, type Person } from '../testing/people'
import { updateUser } from '../users/update-user'
import { getUser } from '../users/users'
import { storageLedger } from './storage-ledger'
import { readStorageQuota } from './storage-quota'
import { readStorage } from './stored-items'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
const GiB = 1024 ** 3
let root: string
let person: Person
let admin: Person

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-storage-'))
  setStorage(diskStore(root))
  admin = await makePerson('admin')
  // Creates the environment.
  await makeJob()
})
beforeEach(async () => {
  person = await makePerson()
})
afterEach(() => setFreeBytes(null))
afterAll(() => rm(root, { recursive: true }))

/** A completed job of the person with a stored result and these artifacts. */
async function endedJob(artifacts: Record<string, string> = {}, daysAgo = 0): Promise<string> {
  const id = await makeJob({ userId: person.id, code: 'x'.repeat(100) })
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, attempt = 1, started_at = now(),
            ended_at = now() - make_interval(days => $2) WHERE id = $1`,
    [id, daysAgo],
  )
  for (const [path, content] of Object.entries(artifacts)) {
    const artifact = uuidv7()
    await diskStore(root).write(artifactKey({ jobId: id, attempt: 1, rank: 0 }, artifact), parts(content))
    await insertArtifact(id, path, content.length, null, artifact)
  }
  await storeResult(id)
  return id
}

async function insertArtifact(
  job: string,
  path: string,
  bytes: number,
  stored: number | null,
  id = uuidv7(),
): Promise<void> {
  await db.pool.query(
    `INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, stored_bytes, sha256) VALUES ($1, $2, 1, 0, $3, $4, $5, '')`,
    [id, job, path, bytes, stored],
  )
}

async function projectId(slug = 'project'): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>(
    'SELECT id FROM projects WHERE owner_id = $1 AND slug = $2',
    [person.id, slug],
  )
  return rows[0]?.id ?? ''
}

const used = async () => (await getUser(person.actor, person.handle)).storage.by_kind

/** What the tables say, without the ledger. */
async function counted(): Promise<Record<string, number>> {
  const { rows } = await db.pool.query<{ kind: string; bytes: number }>(
    `SELECT kind, sum(bytes)::int8 AS bytes
       FROM (SELECT * FROM stored_bytes UNION ALL SELECT * FROM stored_records) stored WHERE user_id = $1 GROUP BY 1`,
    [person.id],
  )
  const none = { artifacts: 0, results: 0, sources: 0, archives: 0, checkpoints: 0, records: 0 }
  return { ...none, ...Object.fromEntries(rows.map(({ kind, bytes }) => [kind, bytes])) }
}

/** The id of a run of the person, or of another member of the project. */
const runId = async (name: string, { id }: Person = person) =>
  resolveRun(db.pool, { userId: id, projectId: await projectId(), restriction: null }, name)

async function insertCheckpoint(run: string, bytes: number, who = person): Promise<void> {
  await db.pool.query(
    `INSERT INTO checkpoint_files (run_id, path, object, bytes, sha256, mtime_ns, executable, task_id)
     VALUES ($1, $2, $3, $4, '', 0, false, $3)`,
    [await runId(run, who), randomBytes(4).toString('hex'), uuidv7(), bytes],
  )
}

/** What a run has on a shared disk. */
async function insertRunDirectory(run: string, bytes: number): Promise<void> {
  const insert = 'INSERT INTO run_directories (run_id, bytes) VALUES ($1, $2)'
  await db.pool.query(insert, [await runId(run), bytes])
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

async function upload(...contents: Buffer[]): Promise<string> {
  const entries = contents.map((content) => ({
    path: sha256(content).slice(0, 8),
    bytes: content.length,
    sha256: sha256(content),
  }))
  const register = () => registerArchive(person.actor, 'project', entries)
  await register()
  const frames = contents.map((content) =>
    Buffer.concat([frameHeader(sha256(content), content.length), content]),
  )
  await receiveBlobs(person.actor, 'project', new Blob(frames.map((frame) => new Uint8Array(frame))).stream())
  const { archive } = await register()
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM archives WHERE project_id = $1 AND hash = decode($2, 'hex')`,
    [await projectId(), archive],
  )
  return rows[0]?.id ?? ''
}

async function submit(idempotencyKey: string | null = null, who = person) {
  const parsed = parseConfig('competition_id: c\nproject_id: project\nexpected_time: 10\n')
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const actor = { ...who.actor, limits: { submissionsPerMinute: 100_000, maxActiveJobs: 100_000 } }
  const bodyHash = Buffer.alloc(32)
  const code = Buffer.from('print(1)')
  return accept(actor, { code, runId: null, config: parsed.config, bodyHash, idempotencyKey })
}

const setQuota = (gib: number | null) =>
  updateUser(admin.actor, person.handle, { storage_quota_gib: gib }, 'http://localhost')

describe('stored bytes', () => {
  it('are counted by kind for user and project, and are the sum of what is stored', async () => {
    const job = await endedJob({ a: 'x'.repeat(1000), b: 'y'.repeat(24) })
    await insertArtifact(job, 'sparse', 300 * 1024 * 1024, 4096)
    await upload(Buffer.alloc(500, 1), Buffer.alloc(12, 2))
    await insertCheckpoint('run', 7000)
    await insertCheckpoint('run', 700)
    await insertRunDirectory('disk', 50)
    const use = await used()
    expect(use).toMatchObject({ artifacts: 1024 + 4096, sources: 100, archives: 512, checkpoints: 7750 })
    expect(use.results).toBeGreaterThan(100)
    expect(use).toEqual(await counted())
    expect((await getProject(person.actor, await projectId())).storage.by_kind).toEqual(use)
    await compactLedger(storageLedger)
    expect(await used()).toEqual(use)
    await recountLedger(storageLedger)
    expect(await used()).toEqual(use)
  })

  it('stored bytes of a shared project count to the owner or to the member who ran the job', async () => {
    await endedJob()
    const member = await makePerson()
    await updateProject(person.actor, await projectId(), { add_members: [member.handle] })
    for (const { id } of await listProjectInvitations(member.actor)) {
      await answerProjectInvitation(member.actor, id, { accept: true })
    }
    await makeJob({ userId: member.id, ownerId: person.id, code: 'z'.repeat(33) })
    await insertCheckpoint('run', 10)
    await insertCheckpoint('run', 7, member)
    expect((await getUser(member.actor, member.handle)).storage.by_kind).toMatchObject({
      sources: 33,
      checkpoints: 7,
    })
    expect(await used()).toMatchObject({ sources: 100, checkpoints: 10 })
    await updateProject(person.actor, await projectId(), { share_runs: true })
    await insertCheckpoint('of all', 5, member)
    expect(await used()).toMatchObject({ sources: 100, checkpoints: 15 })
    expect(await used()).toEqual(await counted())
    expect((await getProject(member.actor, await projectId())).storage.by_kind.sources).toBe(133)
  })

  it('are right after concurrent changes, also while the ledger is compacted and counted again', async () => {
    await makeJob({ userId: person.id })
    let changing = true
    const compacting = (async () => {
      while (changing) {
        await compactLedger(storageLedger)
        await recountLedger(storageLedger).catch((error: unknown) => {
          expect(error).toMatchObject({ code: '40001' })
        })
      }
    })()
    await Promise.all(Array.from({ length: 8 }, () => endedJob({ a: 'x'.repeat(100) })))
    await Promise.all(Array.from({ length: 20 }, (_, index) => insertCheckpoint(`run-${index}`, 1 + index)))
    changing = false
    await compacting
    expect(await used()).toEqual(await counted())
    expect(await used()).toMatchObject({ artifacts: 800, checkpoints: 210 })
    await compactLedger(storageLedger)
    const { rowCount } = await db.pool.query('SELECT 1 FROM storage_changes WHERE user_id = $1', [person.id])
    expect(rowCount).toBe(5)
  })

  it('do not keep the rows of a deleted project', async () => {
    await upload(Buffer.from('content'))
    const id = await projectId()
    await db.pool.query('DELETE FROM projects WHERE id = $1', [id])
    await recountLedger(storageLedger)
    expect(await used()).toMatchObject({ archives: 0 })
  })

  it('include the manifests of directories that have only links, and the rows of tiny files', async () => {
    await endedJob()
    const before = (await used()).records
    const links = Array.from({ length: 20 }, (_, n) => ({ path: `link-${n}`, target: 'x'.repeat(1000) }))
    await registerArchive(person.actor, 'project', links)
    const withLinks = (await used()).records
    expect(withLinks - before).toBeGreaterThan(20_000)
    const { items } = await readStorage(person.actor, { limit: 10 })
    const directory = items.find(({ kind }) => kind === 'archive')
    expect(directory?.bytes).toBeGreaterThan(20_000)
    await upload(...Array.from({ length: 50 }, (_, n) => Buffer.from([n])))
    expect((await used()).records - withLinks).toBeGreaterThan(50 * 200)
    expect(await used()).toEqual(await counted())
    await deleteArchive(person.actor, directory?.id ?? '')
    await recountLedger(storageLedger)
    expect(await used()).toEqual(await counted())
  })

  it('include the rows of empty checkpoint files', async () => {
    await endedJob()
    const before = (await used()).records
    for (let file = 0; file < 10; file++) await insertCheckpoint('many', 0)
    expect((await used()).records - before).toBeGreaterThan(10 * 200)
    expect(await used()).toEqual(await counted())
    await db.pool.query('DELETE FROM checkpoint_files')
    expect((await used()).records).toBe(before)
  })

  it('include a manifest for each member who has the directory, so that nobody finds out what others have', async () => {
    await endedJob()
    const member = await makePerson()
    await updateProject(person.actor, await projectId(), { add_members: [member.handle] })
    for (const { id } of await listProjectInvitations(member.actor))
      await answerProjectInvitation(member.actor, id, { accept: true })
    const links = Array.from({ length: 20 }, (_, n) => ({ path: `link-${n}`, target: 'x'.repeat(1000) }))
    const records = async () => (await getProject(person.actor, await projectId())).storage.by_kind.records
    const grown = []
    for (const { actor } of [member, person, person]) {
      const before = await records()
      await registerArchive(actor, 'project', links)
      grown.push((await records()) - before)
    }
    expect(grown[0]).toBeGreaterThan(20_000)
    expect(grown).toEqual([grown[0], grown[0], 0])
    await db.pool.query('DELETE FROM archives WHERE project_id = $1', [await projectId()])
    expect(await used()).toEqual(await counted())
  })

  it('include configs, notes, tags and metrics of jobs, and the audit events of a user', async () => {
    const job = await endedJob()
    const start = (await used()).records
    expect(start).toBeGreaterThan(0)
    await updateJob(person.actor, job, { note: 'n'.repeat(4000), tags: ['one', 'two'] })
    expect((await used()).records - start).toBe(4000 + 'one two'.length)
    await updateJob(person.actor, job, { note: null, tags: [] })
    expect((await used()).records).toBe(start)
    await db.pool.query(`UPDATE jobs SET final_metrics = '{"loss": 0.5}' WHERE id = $1`, [job])
    expect((await used()).records).toBeGreaterThan(start)
    await recordAudit(db.pool, {
      actorId: person.id,
      action: 'view_created',
      target: null,
      detail: { text: 'x'.repeat(900) },
    })
    expect((await used()).records - start).toBeGreaterThan(900)
    expect(await used()).toEqual(await counted())
    await db.pool.query('DELETE FROM audit_events WHERE actor_id = $1', [person.id])
    expect(await used()).toEqual(await counted())
  })

  it('stored bytes of 100,000 jobs are read from few rows', async () => {
    await makeJob({ userId: person.id })
    await db.pool.query(
      `INSERT INTO storage_changes (user_id, project_id, kind, bytes)
       SELECT $1, $2, 'sources', 8 FROM generate_series(1, 100000)`,
      [person.id, await projectId()],
    )
    await compactLedger(storageLedger)
    const { rowCount } = await db.pool.query('SELECT 1 FROM storage_changes WHERE user_id = $1', [person.id])
    expect(rowCount).toBe(2)
    expect((await used()).sources).toBe(800_008)
  })
})

describe('the storage quota', () => {
  it('is 50 GiB by default; an admin sets another one, for a user and for a project', async () => {
    await endedJob()
    expect((await getUser(person.actor, person.handle)).storage.quota_bytes).toBe(50 * GiB)
    expect((await setQuota(2.5)).storage.quota_bytes).toBe(2.5 * GiB)
    expect((await setQuota(0)).storage.quota_bytes).toBeNull()
    const id = await projectId()
    expect((await getProject(person.actor, id)).storage.quota_bytes).toBeNull()
    await expect(updateProject(person.actor, id, { storage_quota_gib: 1 })).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect((await updateProject(admin.actor, id, { storage_quota_gib: 1 })).storage.quota_bytes).toBe(GiB)
  })

  it('refuses jobs and directories when it is used up, and says what to delete', async () => {
    const job = await endedJob()
    await setQuota(1)
    await insertArtifact(job, 'almost', GiB - 1_000_000, null)
    const { jobId } = await submit('key')
    await insertArtifact(job, 'over', 1_000_000, null)
    const error = {
      code: 'quota_exceeded',
      status: 403,
      message: expect.stringMatching(
        /has stored 1\.0 GiB of 1\.0 GiB\. Most of it: files of \/results \(1\.0 GiB\), .*\/settings#storage/,
      ),
    }
    await expect(submit()).rejects.toMatchObject(error)
    await expect(upload(Buffer.from('more'))).rejects.toMatchObject(error)
    expect(await submit('key'), 'a repeated submission is its job').toMatchObject({ jobId, repeated: true })
    await deleteJobFiles(person.actor, job)
    expect(await submit()).toMatchObject({ repeated: false })
  })

  it('refuses a directory of links only, but not one that the project has', async () => {
    const links = (name: string) =>
      Array.from({ length: 600 }, (_, n) => ({ path: `${name}-${n}`, target: 'x'.repeat(1000) }))
    await registerArchive(person.actor, 'project', links('one'))
    await setQuota(1 / 1024)
    await expect(registerArchive(person.actor, 'project', links('two'))).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('records in the database'),
    })
    await registerArchive(person.actor, 'project', links('one'))
  })

  it('the storage quota of a project holds for all its members', async () => {
    const job = await endedJob()
    await insertArtifact(job, 'large', GiB, null)
    await updateProject(admin.actor, await projectId(), { storage_quota_gib: 1 })
    await expect(submit()).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('The project "project" has stored'),
    })
    const quota = await readStorageQuota(db.pool, { userId: person.id, projectId: await projectId() })
    expect(quota.remainingBytes).toBe(0)
  })
})

describe('a full disk', () => {
  const freeGib = (gib: number) => setFreeBytes(async () => gib * GiB)

  it('refuses jobs and uploads with 507 below the threshold, and accepts them again above it', async () => {
    freeGib(4.99)
    const error = {
      code: 'insufficient_storage',
      status: 507,
      message: expect.stringContaining('almost full'),
    }
    await expect(submit()).rejects.toMatchObject(error)
    await expect(registerArchive(person.actor, 'project', [entry('content')])).rejects.toMatchObject(error)
    freeGib(5)
    const { jobId } = await submit('key')
    await registerArchive(person.actor, 'project', [entry('content')])
    freeGib(0)
    const frame = Buffer.concat([frameHeader(sha256(Buffer.from('content')), 7), Buffer.from('content')])
    await expect(
      receiveBlobs(person.actor, 'project', new Blob([new Uint8Array(frame)]).stream()),
    ).rejects.toMatchObject(error)
    expect(await submit('key')).toMatchObject({ jobId, repeated: true })
  })

  const entry = (text: string) => ({ path: 'file', bytes: text.length, sha256: sha256(Buffer.from(text)) })
})

describe('deleting', () => {
  it('removes result, artifacts and source of an ended job, whose record stays', async () => {
    const job = await endedJob({ a: 'x'.repeat(1000) })
    const other = await makePerson()
    await expect(deleteJobFiles(other.actor, job)).rejects.toMatchObject({ code: 'not_found' })
    await deleteJobFiles(person.actor, job)
    await deleteJobFiles(person.actor, job)
    expect(await used()).toMatchObject({ artifacts: 0, results: 0, sources: 0 })
    expect(await readdir(join(root, 'artifacts'))).not.toContain(job)
    expect(await readSource(person.actor, job)).toMatchObject({ code: '' })
    const { rows } = await db.pool.query(
      'SELECT status, files_deleted, deleted_after_days FROM jobs WHERE id = $1',
      [job],
    )
    expect(rows).toEqual([{ status: 'completed', files_deleted: 'on_request', deleted_after_days: null }])
  })

  it('is reported to readers who come meanwhile, and finished by the sweep if it was interrupted', async () => {
    const id = await endedJob({ a: 'x'.repeat(1000) })
    const job = await findVisibleJob(person.actor, id)
    const { artifacts } = await listArtifacts(job)
    await db.pool.query(`UPDATE jobs SET files_deleted = 'on_request' WHERE id = $1`, [id])
    const { rows } = await db.pool.query('SELECT name FROM result_files WHERE job_id = $1', [id])
    await diskStore(root).remove(resultKey(rows[0].name))
    await rm(join(root, 'artifacts', id), { recursive: true })
    const deleted = { code: 'not_found', message: 'The owner of the job or an admin deleted the file.' }
    const headers = new Headers()
    await expect(downloadResultFile(job, headers)).rejects.toMatchObject(deleted)
    const first = artifacts[0]?.artifact_id ?? ''
    await expect(downloadArtifact(job, first, 'file', headers)).rejects.toMatchObject(deleted)
    await deleteOldFiles()
    expect(await used()).toMatchObject({ artifacts: 0, results: 0 })
    expect(await findVisibleJob(person.actor, id)).toMatchObject({
      files_deleted: 'on_request',
      deleted_after_days: null,
    })
  })

  it('is refused while a job needs it', async () => {
    const job = await makeJob({ userId: person.id })
    const archive = await upload(Buffer.from('needed'))
    await db.pool.query('UPDATE jobs SET archive_id = $2 WHERE id = $1', [job, archive])
    await setRun(job, 'run')
    const conflict = { code: 'conflict' }
    const run = { projectId: await projectId(), run: 'run' }
    await expect(deleteJobFiles(person.actor, job)).rejects.toMatchObject(conflict)
    await expect(deleteArchive(person.actor, archive)).rejects.toMatchObject(conflict)
    await expect(deleteCheckpoints(person.actor, run)).rejects.toMatchObject(conflict)
  })

  it('removes a directory with the contents that no other one has', async () => {
    const [own, shared] = [randomBytes(20), randomBytes(30)]
    const archive = await upload(own, shared)
    await upload(shared)
    const other = await makePerson()
    await expect(deleteArchive(other.actor, archive)).rejects.toMatchObject({ code: 'not_found' })
    await deleteArchive(person.actor, archive)
    expect(await used()).toMatchObject({ archives: 30 })
    const blobs = await readdir(join(root, 'blobs', await projectId()))
    expect(blobs).toEqual([sha256(shared)])
    await upload(own)
    expect(await used()).toMatchObject({ archives: 50 })
  })

  it('removes checkpoints in the bucket, and asks the leader for those on the shared disk', async () => {
    await endedJob()
    await insertCheckpoint('run', 10)
    const run = await runId('run')
    await insertRunDirectory('run', 50)
    await deleteCheckpoints(person.actor, { projectId: await projectId(), run: 'run' })
    expect((await used()).checkpoints).toBe(50)
    const { items } = await readStorage(person.actor, { limit: 10 })
    expect(items.find(({ kind }) => kind === 'checkpoints')).toMatchObject({
      id: run,
      name: 'run',
      deleting: true,
    })
  })

  it('removes no checkpoints of another member, whose run has the same name, and does not list them', async () => {
    await endedJob()
    const member = await makePerson()
    const projectOf = await projectId()
    await db.pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [
      projectOf,
      member.id,
    ])
    await insertCheckpoint('base', 10)
    await insertCheckpoint('base', 7, member)
    await insertCheckpoint('theirs', 3, member)
    const [own, theirs] = [await runId('base'), await runId('base', member)]
    const listed = async (who: Person) =>
      (await readStorage(who.actor, { limit: 10 })).items
        .filter(({ kind }) => kind === 'checkpoints')
        .map(({ id, bytes }) => [id, bytes])
    expect(await listed(person)).toEqual([[own, 10]])
    expect(await listed(member)).toEqual([
      [theirs, 7],
      [await runId('theirs', member), 3],
    ])
    const missing = { code: 'not_found' }
    const remove = (who: Person, run: string) => deleteCheckpoints(who.actor, { projectId: projectOf, run })
    // The owner of the project too: a run of a member is theirs alone.
    for (const run of [theirs, 'theirs']) await expect(remove(person, run)).rejects.toMatchObject(missing)
    await expect(remove(member, own)).rejects.toMatchObject(missing)
    await expect(remove(await makePerson(), 'base')).rejects.toMatchObject(missing)
    await expect(deleteCheckpoints(person.actor, { projectId: 'x', run: 'base' })).rejects.toMatchObject(
      missing,
    )
    await remove(member, 'base')
    expect(await listed(person)).toEqual([[own, 10]])
    expect(await listed(member)).toHaveLength(1)
    await expect(remove(admin, 'theirs')).rejects.toMatchObject(missing)
    await remove(admin, await runId('theirs', member))
    expect(await listed(member)).toEqual([])
  })

  it('is offered for the largest first, to the owner and to admins', async () => {
    const large = await endedJob({ a: 'x'.repeat(10_000) })
    const archive = await upload(Buffer.alloc(5_000, 3))
    await insertCheckpoint('run', 7_000)
    const { items, storage } = await readStorage(person.actor, { limit: 3 })
    expect(items.map(({ kind, id }) => [kind, id])).toEqual([
      ['job', large],
      ['checkpoints', await runId('run')],
      ['archive', archive],
    ])
    expect(storage.by_kind).toEqual(await used())
    const ofAdmin = await readStorage(admin.actor, { user_id: person.handle, limit: 3 })
    expect(ofAdmin.items).toEqual(items)
    const other = await makePerson()
    await expect(readStorage(other.actor, { user_id: person.handle, limit: 3 })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

describe('the default retention', () => {
  const isDeleted = async (job: string) =>
    (await db.pool.query('SELECT 1 FROM jobs WHERE id = $1 AND deleted_after_days = 90', [job])).rowCount ===
    1
  const upgradedDaysAgo = (days: number) =>
    db.pool.query('UPDATE policies SET retention_from = now() - make_interval(days => $1)', [days])

  it('deletes after 90 days, but never sooner than 90 days after the upgrade that introduced it', async () => {
    const [old, young] = [await endedJob({}, 400), await endedJob({}, 89)]
    await deleteOldFiles()
    expect(await isDeleted(old)).toBe(false)
    await upgradedDaysAgo(89)
    await deleteOldFiles()
    expect(await isDeleted(old)).toBe(false)
    await upgradedDaysAgo(91)
    await deleteOldFiles()
    expect([await isDeleted(old), await isDeleted(young)]).toEqual([true, false])
  })

  it('is shortened by owners; only admins keep files for longer, or forever', async () => {
    await upgradedDaysAgo(91)
    const old = await endedJob({}, 400)
    const id = await projectId()
    for (const days of [0, 91]) {
      await expect(updateProject(person.actor, id, { retention_days: days })).rejects.toMatchObject({
        code: 'forbidden',
      })
    }
    await updateProject(admin.actor, id, { retention_days: 0 })
    await deleteOldFiles()
    expect(await isDeleted(old)).toBe(false)
    await updateProject(person.actor, id, { retention_days: 0, name: 'An admin set 0 before' })
    await updateProject(person.actor, id, { retention_days: 90 })
    await deleteOldFiles()
    expect(await isDeleted(old)).toBe(true)
  })
})
