import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteProject } from '../access/projects/projects'
import { findOrCreateProject } from '../access/projects/submission-project'
import { makePerson, type Person } from '../access/testing/people'
import { viewJob } from '../agents/job-tools'
import { createJob } from '../agents/submit-tools'
import { createJobSchema } from '../agents/tool-schemas'
import { unfinishedTasks } from '../cluster/tasks/tasks'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { parseConfig } from '../contract/config/config'
import { queueSubmitSchema } from '../contract/queue'
import { testDatabase } from '../database/testing/test-database'
import { env } from '../env'
import { readJob, readSource } from '../jobs/read/read'
import { accept } from '../jobs/submission/accept'
import type { Submission } from '../jobs/submission/insert-job'
import { submitToQueue } from '../queue/submit'
import { deleteSnapshot, deleteVersions } from './delete-snapshots'
import { shareSnapshot } from './share-snapshot'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
let person: Person
let admin: Person
let projectId: string

// The first job creates the environment.
beforeAll(() => makeJob())
beforeEach(async () => {
  person = await makePerson()
  person.actor.limits = { submissionsPerMinute: 1000, maxActiveJobs: 1000 }
  admin = await makePerson('admin')
  projectId = (await findOrCreateProject(db.pool, person.actor, 'p')).id
})
afterEach(() => {
  env().GPUQ_WORKSPACES = undefined
})

/** Makes a version of a snapshot. Returns the hash of its archive. */
async function makeSnapshot(name: string, version: number, owner = projectId, shared = false) {
  const hash = createHash('sha256').update(uuidv7()).digest()
  const [id, archiveId] = [uuidv7(), uuidv7()]
  await db.pool.query(
    `INSERT INTO archives (id, project_id, hash, manifest, files, bytes) VALUES ($1, $2, $3, '{}', 1, 10)`,
    [archiveId, owner, hash],
  )
  await db.pool.query(
    `INSERT INTO snapshots (id, project_id, name, version, archive_id, shared_at)
     VALUES ($1, $2, $3, $4, $5, CASE WHEN $6 THEN now() END)`,
    [id, owner, name, version, archiveId, shared],
  )
  return { id, archiveId, hash: hash.toString('hex') }
}

async function end(jobId: string): Promise<void> {
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() WHERE id = $1`,
    [jobId],
  )
}

function submission(mounts: Record<string, string>, changes: Partial<Submission> = {}): Submission {
  const given = `competition_id: c\nproject_id: p\nexpected_time: 10\nmounts: ${JSON.stringify(mounts)}\n`
  const parsed = parseConfig(given)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  return {
    code: Buffer.from('print(1)'),
    runId: null,
    config: parsed.config,
    bodyHash: createHash('sha256').update(given).digest(),
    idempotencyKey: null,
    ...changes,
  }
}

const submit = (mounts: Record<string, string>) => accept(person.actor, submission(mounts))
const mountsOf = async (jobId: string) => (await readJob(person.actor, jobId)).mounts

describe('a mount', () => {
  it('is resolved to one version, which a later version does not change', async () => {
    const first = await makeSnapshot('data/cifar10', 1)
    const models = await makeSnapshot('models/bert', 2)
    await makeSnapshot('models/bert', 3)
    const { jobId } = await submit({ '/models': 'models/bert@2', '/data': 'data/cifar10' })
    await makeSnapshot('data/cifar10', 2)
    expect(await mountsOf(jobId)).toEqual([
      { path: '/data', snapshot: 'data/cifar10@1' },
      { path: '/models', snapshot: 'models/bert@2' },
    ])
    expect(await mountsOf((await submit({ '/data': 'data/cifar10' })).jobId)).toEqual([
      { path: '/data', snapshot: 'data/cifar10@2' },
    ])
    expect((await readSource(person.actor, jobId)).config).toContain('/data: "data/cifar10@1"')

    const lease = await makeNode()
    const taskId = await placeManually(lease.nodeId, jobId)
    const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
    expect(task?.mounts).toEqual([
      { path: '/data', name: 'data/cifar10@1', archiveId: first.archiveId, hash: first.hash },
      { path: '/models', name: 'models/bert@2', archiveId: models.archiveId, hash: models.hash },
    ])
  })

  it('a mount of a snapshot that an admin shares works in every project', async () => {
    const other = await findOrCreateProject(db.pool, admin.actor, 'shared')
    await makeSnapshot(`data/shared-${person.handle}`, 1, other.id, true)
    const { jobId } = await submit({ '/data': `data/shared-${person.handle}` })
    expect(await mountsOf(jobId)).toHaveLength(1)
    await db.pool.query('UPDATE snapshots SET shared_at = NULL WHERE project_id = $1', [other.id])
  })

  it('can be given to the queue API and to an agent, and is shown there', async () => {
    await makeSnapshot('data/cifar10', 1)
    const mounts = { '/data': 'data/cifar10' }
    const expected = [{ path: '/data', snapshot: 'data/cifar10@1' }]
    const queued = await submitToQueue(
      person.actor,
      queueSubmitSchema.parse({ command: 'ls /data', project_id: 'p', mounts }),
      null,
    )
    expect(await mountsOf(queued.jobId)).toEqual(expected)
    const call = {
      actor: person.actor,
      origin: 'https://gpuq.example.org',
      signal: new AbortController().signal,
    }
    const input = { name: 'x', gpu_count: 1, command: 'ls /data', project_id: 'p', mounts }
    const created = await createJob(call, createJobSchema.parse(input))
    expect(await viewJob(call, created.job_id)).toMatchObject({ mounts: expected })
    expect(queueSubmitSchema.safeParse({ command: 'ls', mounts: { '/etc': 'x' } }).success).toBe(false)
  })

  it('makes another job with another version, and the same job with the same one', async () => {
    await makeSnapshot('data/cifar10', 1)
    const once = () => accept(person.actor, submission({ '/data': 'data/cifar10' }), { deduplicate: true })
    const first = await once()
    expect(await once()).toMatchObject({ jobId: first.jobId, deduplicated: true })
    await makeSnapshot('data/cifar10', 2)
    expect(await once()).toMatchObject({ deduplicated: false })
  })

  it('does not change a repeated request, although its snapshot was deleted', async () => {
    await makeSnapshot('data/cifar10', 1)
    const keyed = submission({ '/data': 'data/cifar10' }, { idempotencyKey: 'once' })
    const first = await accept(person.actor, keyed)
    await end(first.jobId)
    await db.pool.query('DELETE FROM snapshots WHERE project_id = $1', [projectId])
    expect(await accept(person.actor, keyed)).toMatchObject({ jobId: first.jobId, repeated: true })
    expect(await mountsOf(first.jobId)).toEqual([{ path: '/data', snapshot: 'data/cifar10@1' }])
  })
})

describe('a snapshot that a live job mounts', () => {
  it('cannot be deleted, alone or with all versions, until the job has ended', async () => {
    const { id } = await makeSnapshot('data/cifar10', 1)
    await makeSnapshot('data/cifar10', 2)
    const { jobId } = await submit({ '/data': 'data/cifar10@1' })
    const mounted = {
      code: 'conflict',
      message: 'A job that has not ended mounts data/cifar10@1. Cancel the job, or wait for its end.',
    }
    await expect(deleteSnapshot(person.actor, id)).rejects.toMatchObject(mounted)
    await expect(deleteVersions(person.actor, projectId, 'data/cifar10')).rejects.toMatchObject(mounted)
    await end(jobId)
    await deleteSnapshot(person.actor, id)
    expect(await mountsOf(jobId)).toEqual([{ path: '/data', snapshot: 'data/cifar10@1' }])
  })

  it('is deleted before a submission finds it, or not at all', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await makeSnapshot(`race-${round}`, 1)
      const [submitted, deleted] = await Promise.allSettled([
        submit({ '/data': `race-${round}` }),
        deleteSnapshot(person.actor, id),
      ])
      expect([submitted.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected'])
      if (submitted.status === 'fulfilled') expect(await mountsOf(submitted.value.jobId)).toHaveLength(1)
    }
  })

  it('keeps its project, although it is not shared any more', async () => {
    const other = await findOrCreateProject(db.pool, admin.actor, 'no-longer-shared')
    const { id } = await makeSnapshot('data/once-shared', 1, other.id, true)
    const { jobId } = await submit({ '/data': 'data/once-shared' })
    await shareSnapshot(admin.actor, id, false)
    await expect(deleteProject(admin.actor, other.id)).rejects.toMatchObject({ code: 'conflict' })
    await end(jobId)
    await deleteProject(admin.actor, other.id)
  })
})

describe('a mount is refused', () => {
  const refused = (message: string | RegExp) => ({
    code: 'invalid_fields',
    errors: [
      { path: 'mounts', message: typeof message === 'string' ? message : expect.stringMatching(message) },
    ],
  })

  it('a mount is refused if there is no such snapshot, with similar names, its versions, or all names', async () => {
    await expect(submit({ '/data': 'data/x' })).rejects.toMatchObject(
      refused(/^\/data: the project "p" has no snapshot data\/x, and no other/),
    )
    for (const name of ['data/cifar10', 'data/cifar100', 'models/bert']) await makeSnapshot(name, 1)
    await makeSnapshot('data/cifar10', 3)
    await expect(submit({ '/data': 'data/cifar01' })).rejects.toMatchObject(
      refused(/Did you mean data\/cifar10 or data\/cifar100\?/),
    )
    await expect(submit({ '/data': 'cifar10' })).rejects.toMatchObject(
      refused(/Did you mean data\/cifar10\?/),
    )
    await expect(submit({ '/data': 'data/cifar10@2' })).rejects.toMatchObject(
      refused(/has no snapshot data\/cifar10@2\. data\/cifar10 has the versions 3, 1/),
    )
    await expect(submit({ '/data': 'imagenet' })).rejects.toMatchObject(
      refused(/It has data\/cifar10, data\/cifar100, models\/bert/),
    )
  })

  it('a mount is refused if only another project has it, whose names are not shown', async () => {
    const other = await findOrCreateProject(db.pool, admin.actor, 'private')
    await makeSnapshot('data/secret', 1, other.id)
    await expect(submit({ '/data': 'data/secret' })).rejects.toMatchObject(refused(/, and no other/))
  })

  it('a mount is refused if it and the shared directory of the project are inside each other', async () => {
    await makeSnapshot('data/cifar10', 1)
    await db.pool.query('UPDATE users SET unix_uid = 1234 WHERE id = $1', [person.id])
    env().GPUQ_WORKSPACES = { root: '/mnt/ws', paths: new Map(), shared: new Map() }
    for (const path of ['/mnt', `/mnt/ws/${person.handle}/p`, `/mnt/ws/${person.handle}/p/data`]) {
      await expect(submit({ [path]: 'data/cifar10' })).rejects.toMatchObject(
        refused(/works in the shared directory \/mnt\/ws\/.*\/p: mount the snapshot/),
      )
    }
    await submit({ '/mnt/data': 'data/cifar10' })
  })

  it('a mount is refused if it and the working directory of the job are inside each other', async () => {
    await makeSnapshot('data/cifar10', 1)
    const given = submission({ '/workspace/data': 'data/cifar10' })
    const inside = (path: string) =>
      accept(person.actor, { ...given, config: { ...given.config, working_directory: path } })
    for (const path of ['/workspace', '/workspace/data', '/workspace/data/x']) {
      await expect(inside(path)).rejects.toMatchObject(refused(/works in \/workspace.*: mount the snapshot/))
    }
    await inside('/workspace/project')
  })

  it('a mount is refused and then no job exists', async () => {
    await expect(submit({ '/data': 'data/x' })).rejects.toThrow()
    const { rows } = await db.pool.query('SELECT 1 FROM jobs WHERE user_id = $1', [person.id])
    expect(rows).toEqual([])
  })
})

it('a working directory inside the shared directory of the project is refused: the job sees that one', async () => {
  await db.pool.query('UPDATE users SET unix_uid = 1234 WHERE id = $1', [person.id])
  env().GPUQ_WORKSPACES = { root: '/mnt/ws', paths: new Map(), shared: new Map() }
  const given = submission({})
  const inside = (path: string) =>
    accept(person.actor, { ...given, config: { ...given.config, working_directory: path } })
  await expect(inside(`/mnt/ws/${person.handle}/p/experiments`)).rejects.toMatchObject({
    errors: [{ path: 'working_directory', message: expect.stringContaining('remove this key') }],
  })
  await inside('/workspace')
})
