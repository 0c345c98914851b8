import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { actorFromToken } from '@/lib/access/authenticate'
import { verifyPassword } from '@/lib/access/sessions/passwords'
import { registerArchive } from '@/lib/archives/register'
import { markExpiredNodesLost } from '@/lib/cluster/nodes/lost-nodes'
import { commitPlacement } from '@/lib/cluster/placement/place'
import { takeSnapshot } from '@/lib/cluster/placement/snapshot'
import { jobState, makeNode, readBooks } from '@/lib/cluster/testing/rows'
import { jobDetailSchema } from '@/lib/contract/jobs'
import type { Operation } from '@/lib/contract/operations/operation'
import { allOperations } from '@/lib/contract/operations/operations'
import { connect, type Database, setDatabase } from '@/lib/database/client'
import { listMigrations } from '@/lib/database/migrate'
import { answerApi } from '@/lib/http/server/answer-api'
import { apiRoutes } from '@/lib/routes/routes'
import { plan } from '@/lib/scheduling/plan'
import { setStorage } from '@/lib/storage/storage'
import { defaultImage } from '../image/image-recipes.mjs'
import { type Restored, restoreBackup } from './restore-backup'
import { makeEmptyTarget, quietly } from './testing/empty-target'
import type { EveryState } from './testing/every-state'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))

/** Backups that released versions have made: see testing/make-fixture.ts. */
const fixtures = join(import.meta.dirname, 'testing')
const versions = (await readdir(fixtures)).flatMap((name) => /^gpuq-(.*)\.tar\.gz$/.exec(name)?.[1] ?? [])

it('covers the first version that has backups', () => {
  expect(versions).toContain('0.2.0')
})

/** Calls a read of the API as the server does. */
async function read({ path }: Operation, params: Record<string, string>, token: string) {
  const url = path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? '')
  const headers = { authorization: `Bearer ${token}` }
  const response = await answerApi(apiRoutes, new Request(`http://localhost:8001${url}`, { headers }))
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
}

describe.each(versions)('a backup of gpuq %s, restored and upgraded', (version) => {
  let root: string
  let state: EveryState
  let restored: Restored
  let db: Database
  /** The directory of the checkpoints in the restored data directory. */
  let checkpoints: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'gpuq-upgrade-'))
    state = JSON.parse(await readFile(join(fixtures, `gpuq-${version}.json`), 'utf8'))
    const target = await makeEmptyTarget(root)
    restored = await restoreBackup(join(fixtures, `gpuq-${version}.tar.gz`), target, quietly)
    db = connect(target.url, 10)
    setDatabase(db)
    setStorage(target.store)
    checkpoints = target.checkpointsDirectory
  })
  afterAll(async () => {
    await db.close()
    await rm(root, { recursive: true })
  })

  it('has every migration', async () => {
    expect(restored.manifest.problems).toEqual([])
    expect([...restored.head.migrations, ...restored.applied].sort()).toEqual(await listMigrations())
  })

  // A download link is signed, live events of a running job never end, and some reads need more than an id.
  const reads = allOperations.filter(
    ({ path, method, query }) =>
      method === 'get' &&
      path !== '/api/download' &&
      !path.endsWith('/events') &&
      (query?.safeParse({}).success ?? true),
  )
  const readOf = (path: string): Operation => {
    const found = reads.find((operation) => operation.path === path)
    if (!found) throw new Error(`There is no read ${path}.`)
    return found
  }
  /** Reads of the other engine. */
  const ofSlurm = ({ path }: Operation) => path.startsWith('/api/slurm')
  /** Reads of what only some jobs, or only a built checkout have. */
  const mayBeNone = [
    '/api/jobs/{id}/artifacts.tar',
    '/api/jobs/{id}/files/content',
    '/api/projects/{id}/leaderboard',
    '/api/projects/{id}/leaderboard.csv',
    '/api/queue/{id}',
    '/gpuq.tgz',
  ]
  it('answers every read of the API for every job, and each answer has the schema of this version', async () => {
    const idsOf = async (table: string, column = 'id') =>
      (await db.pool.query(`SELECT ${column} AS id FROM ${table}`)).rows.map(({ id }) => String(id))
    const artifacts = (await db.pool.query('SELECT id, job_id FROM artifacts')).rows
    const jobs = await idsOf('jobs')
    const paramsOf = async ({ path }: Operation): Promise<Record<string, string>[]> => {
      // An earlier version has no snapshots, working files, read-only links, groups, classes or competitions. Pictures belong to the documentation.
      if (/\{token\}|\{name\}|^\/api\/(?:groups|competitions|entries|rescores)\/|\/group$/.test(path))
        return []
      if (path.includes('{artifactId}'))
        return artifacts.map((row) => ({ id: row.job_id, artifactId: row.id }))
      if (path.includes('{handle}')) return (await idsOf('users', 'handle')).map((handle) => ({ handle }))
      if (path.includes('/participants')) return []
      if (/snapshots\/(\{id\}|versions)/.test(path) || path.includes('{fileId}')) return []
      if (path.startsWith('/api/projects/{id}')) return (await idsOf('projects')).map((id) => ({ id }))
      return path.includes('{id}') ? jobs.map((id) => ({ id })) : [{}]
    }
    let answered = 0
    for (const operation of reads) {
      for (const params of await paramsOf(operation)) {
        const { status, body } = await read(operation, params, state.admin.token)
        if (ofSlurm(operation)) {
          expect(status).toBe(409)
          continue
        }
        const what = `${operation.path} ${JSON.stringify(params)}: ${body.toString().slice(0, 500)}`
        if (status === 404 && mayBeNone.includes(operation.path)) continue
        expect(status, what).toBe(200)
        const { schema, item } = operation.responses[200] ?? {}
        const expected = item ? z.array(item) : schema
        if (expected) expect(expected.safeParse(JSON.parse(body.toString())).error, what).toBeUndefined()
        answered += 1
      }
    }
    expect(answered).toBeGreaterThan(8 * jobs.length)
  })

  it('keeps users, passwords, tokens and the key of sessions', async () => {
    const { rows } = await db.pool.query('SELECT password_hash FROM users WHERE email = $1', [
      state.ada.email,
    ])
    expect(await verifyPassword(rows[0].password_hash, state.ada.password)).toBe(true)
    const { body } = await read(readOf('/api/users/me'), {}, state.ada.token)
    expect(JSON.parse(body.toString())).toMatchObject({ user_id: 'ada' })
    const [directory = ''] = await readdir(root)
    expect((await readFile(join(root, directory, 'session-secret'), 'utf8')).length).toBeGreaterThan(31)
  })

  it('keeps status, output and artifacts of each job', async () => {
    const expected = {
      submitted: 'pending',
      waiting: 'pending',
      held: 'pending',
      // The API does not tell a placed job from a waiting one.
      scheduled: 'pending',
      starting: 'pending',
      running: 'running',
      retried: 'running',
      completed: 'completed',
      failed: 'failed',
      cancelled: 'cancelled',
      withdrawn: 'cancelled',
      unstored: 'completed',
    } as const
    for (const [kind, status] of Object.entries(expected)) {
      const id = state.jobs[kind as keyof typeof expected]
      const { body } = await read(readOf('/api/status/{id}'), { id }, state.ada.token)
      expect(jobDetailSchema.parse(JSON.parse(body.toString())), kind).toMatchObject({ job_id: id, status })
    }
    for (const kind of ['completed', 'unstored'] as const) {
      const { body } = await read(readOf('/api/results/{id}'), { id: state.jobs[kind] }, state.ada.token)
      expect(body.toString(), kind).toContain('line 99')
    }
    const { rows } = await db.pool.query('SELECT id, job_id, sha256 FROM artifacts')
    expect(rows).toHaveLength(3)
    for (const { id, job_id, sha256 } of rows) {
      const params = { id: job_id, artifactId: id }
      const { body } = await read(readOf('/api/jobs/{id}/artifacts/{artifactId}'), params, state.ada.token)
      expect(createHash('sha256').update(body).digest('hex')).toBe(sha256)
    }
  })

  it('gives directories to the users who had them, and the right to push to members who did not come by a link', async () => {
    const { neighbours } = state
    if (!neighbours) return
    const { lab, course } = neighbours.projects
    const pushersOf = async (id: string) =>
      (await read(readOf('/api/projects/{id}'), { id }, state.ada.token)).body.toString()
    expect(JSON.parse(await pushersOf(lab))).toMatchObject({ members: ['bob'], pushers: ['bob'] })
    expect(JSON.parse(await pushersOf(course))).toMatchObject({ members: ['bob'], pushers: [] })
    const people = {
      ada: await actorFromToken(state.ada.token),
      bob: await actorFromToken(neighbours.bob.token),
    }
    // Bob has no project of his own, so that these are Ada's.
    const mustSend = async (user: 'ada' | 'bob', project: string, text: string) => {
      const actor = people[user]
      if (!actor) throw new Error(`The token of ${user} is not valid.`)
      const sha256 = createHash('sha256').update(text).digest('hex')
      const entries = [{ path: 'settings.yaml', bytes: text.length, sha256 }]
      return (await registerArchive(actor, project, entries)).missing.length > 0
    }
    for (const project of ['lab', 'course'])
      for (const owner of ['ada', 'bob'] as const) {
        const text = `secret of ${owner}: only-${owner}\n`
        for (const user of ['ada', 'bob'] as const)
          expect(await mustSend(user, project, text), `${user}, ${project}, ${text}`).toBe(user !== owner)
        expect(await mustSend(owner, project, 'data for everybody\n'), 'a snapshot has it').toBe(false)
      }
    // What is counted equals the rows that the migrations made.
    const { rows } = await db.pool.query(
      `SELECT * FROM (SELECT user_id, project_id, kind, sum(bytes) FROM storage_changes GROUP BY 1, 2, 3 HAVING sum(bytes) <> 0
                      EXCEPT SELECT user_id, project_id, kind, sum(bytes)
                        FROM (SELECT * FROM stored_bytes UNION ALL SELECT * FROM stored_records) stored GROUP BY 1, 2, 3) wrong`,
    )
    expect(rows).toEqual([])
  })

  it('gives each run to its first user, and lets several users share one only where no stranger can be', async () => {
    const { neighbours } = state
    // Earlier fixtures have one user.
    if (neighbours === undefined) return
    const { rows } = await db.pool.query<{ project: string; name: string; user: string; directory: string }>(
      `SELECT CASE r.project_id WHEN $1 THEN 'lab' WHEN $2 THEN 'course' END AS project, r.name, u.handle AS user, r.directory
         FROM runs r JOIN users u ON u.id = r.user_id WHERE r.project_id IN ($1, $2) ORDER BY 1, 2, 3`,
      [neighbours.projects.lab, neighbours.projects.course],
    )
    const inOld = (run: { name: string; directory: string }) => run.name === run.directory
    expect(rows.map((run) => [run.project, run.name, run.user, inOld(run)])).toEqual([
      ['course', 'common', 'ada', true],
      ['course', 'common', 'bob', false],
      ['course', 'only-ada', 'ada', true],
      ['course', 'only-bob', 'bob', true],
      ['lab', 'common', 'ada', true],
      ['lab', 'only-ada', 'ada', true],
      ['lab', 'only-bob', 'bob', true],
    ])
    for (const { project, name, directory } of rows.filter(inOld)) {
      const path = join(checkpoints, neighbours.projects[project as 'lab' | 'course'], directory, 'last.pt')
      expect(await readFile(path, 'utf8')).toBe(`weights of ${name} in ${project}\n`)
    }
    const jobsOf = (name: string, user: string) =>
      neighbours.runs.filter((run) => run.name === name && run.user === user).map(({ job }) => job)
    for (const [user, runs] of [
      ['ada', ['ada', 'ada']],
      // In the lab, bob continues the run that ada began.
      ['bob', ['ada', 'bob']],
    ] as const) {
      const { rows: owners } = await db.pool.query(
        `SELECT u.handle FROM jobs j JOIN runs r ON r.id = j.named_run_id JOIN users u ON u.id = r.user_id
          WHERE j.id = ANY ($1::uuid[]) ORDER BY 1`,
        [jobsOf('common', user)],
      )
      expect(owners.map(({ handle }) => handle)).toEqual(runs)
    }
    const sharedRunsOf = async (project: 'lab' | 'course', token: string) => {
      const params = { id: neighbours.projects[project] }
      return JSON.parse((await read(readOf('/api/projects/{id}'), params, token)).body.toString())
        .old_shared_runs
    }
    expect(await sharedRunsOf('lab', state.ada.token)).toEqual([
      { id: expect.any(String), name: 'common', users: ['ada', 'bob'] },
    ])
    expect(await sharedRunsOf('lab', neighbours.bob.token)).toEqual([])
    expect(await sharedRunsOf('course', state.ada.token)).toEqual([])
  })

  it('gives the default environment the default image of this version', async () => {
    const { rows } = await db.pool.query(`SELECT image FROM environments WHERE name = 'python'`)
    expect(rows).toEqual([{ image: defaultImage }])
  })

  it('retries what ran, because the leases have expired, and starts what waits', async () => {
    const live = ['scheduled', 'starting', 'running', 'retried'] as const
    const before = Object.fromEntries(
      await Promise.all(live.map(async (kind) => [kind, (await jobState(state.jobs[kind])).attempt])),
    )
    // The builder has given the lease an hour, for tests. A restored one has expired within seconds.
    await db.pool.query(`UPDATE nodes SET lease_expires_at = now() - interval '1 second'`)
    expect(await markExpiredNodesLost()).toEqual([state.node])
    for (const kind of live)
      expect(await jobState(state.jobs[kind]), kind).toMatchObject({ status: 'pending' })
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
    // The project's budget of 0.1 GPU hours has room: the time between backup and restore is not charged.
    // A retry waits some seconds. The earliest start of the held job was a day after the backup.
    await db.pool.query(`UPDATE jobs SET not_before = CASE WHEN id = $1 THEN now() + interval '1 hour' END`, [
      state.jobs.held,
    ])
    await makeNode({ name: 'new', gpus: 8 })
    const { snapshot } = await takeSnapshot()
    for (const placement of plan(snapshot).placements) await commitPlacement(placement)
    for (const kind of [...live, 'submitted', 'waiting'] as const) {
      const attempt = (before[kind] ?? 0) + 1
      expect(await jobState(state.jobs[kind]), kind).toMatchObject({ status: 'scheduled', attempt })
    }
    expect(await jobState(state.jobs.held)).toMatchObject({ status: 'pending' })
  })
})
