import { beforeAll, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { call } from '../../access/testing/call'
import { makeToken, type Person } from '../../access/testing/people'
import { modelTableSchema } from '../../contract/cluster/policy'
import { testDatabase } from '../../database/testing/test-database'
import { replaceModels } from '../../jobs/submission/model-table'
import { jobRoutes } from '../jobs/jobs'
import {
  audited,
  cancel,
  idOf,
  jobOf,
  makePeople,
  prioritize,
  readQueue,
  submit,
  submitted,
} from '../testing/queue-client'
import { orchestratorRoutes } from './orchestrator'
import { queueRoutes } from './queue'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada, bob] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[admin, ada, bob] = await makePeople()
})

describe('a client of the documented calls only', () => {
  it('submits, reads, reorders, cancels and controls the scheduler with one token in X-Auth-Token', async () => {
    const { token } = await makeToken(admin, ['read', 'submit', 'admin'])
    const who = { headers: { 'x-auth-token': token } }
    const run = { run_id: 'run-7', user: 'newcomer', command: 'python fit.py', gpu_count: 2, priority: 2 }
    const accepted = await submit(run, who)
    expect(accepted).toMatchObject({ status: 201, body: { run_id: 'run-7', status: 'queued' } })
    const id = idOf(accepted)
    expect(accepted.headers.get('location')).toBe(`/api/queue/${id}`)
    const { queued, running } = await readQueue(who)
    expect(running).toEqual([])
    expect(queued).toMatchObject([
      { job_id: id, run_id: 'run-7', user: 'newcomer', command: 'python fit.py', gpu_count: 2, priority: 2 },
    ])
    expect(await prioritize(id, { priority: 3 }, who)).toMatchObject({ status: 200, body: { priority: 3 } })
    const hold = (held: boolean) =>
      call(queueRoutes.setHeld, '/x', { method: 'PATCH', body: { held }, params: { id }, ...who })
    expect(await hold(true)).toMatchObject({ status: 200, body: { status: 'queued', reason: 'held' } })
    expect(await hold(false)).toMatchObject({ status: 200, body: { status: 'queued', reason: null } })
    expect(await cancel(id, who)).toMatchObject({
      status: 200,
      body: { status: 'cancelled', reason: 'cancelled_by_admin' },
    })
    expect(await hold(true)).toMatchObject({ status: 409 })
    for (const handler of [orchestratorRoutes.start, orchestratorRoutes.stop, orchestratorRoutes.start]) {
      expect(await call(handler, '/x', { method: 'POST', ...who })).toMatchObject({ status: 200 })
    }
    expect(await call(orchestratorRoutes.status, '/x', who)).toMatchObject({
      status: 200,
      body: { running: true, queued: 0 },
    })
    const policy = { max_concurrent_jobs: 10, enable_auto_retry: true }
    expect(
      await call(orchestratorRoutes.updatePolicy, '/x', { method: 'PUT', body: policy, ...who }),
    ).toMatchObject({
      status: 200,
      body: policy,
    })
    expect(await audited('user_created')).toContainEqual({
      target: 'newcomer',
      detail: { role: 'researcher', invited: false, for_a_job: true },
    })
  })

  it('requests GPU memory and gives an estimated duration', async () => {
    const id = await submitted(
      {
        command: 'python fit.py --epochs 10',
        gpu_count: 4,
        gpu_memory_gb: 40,
        estimated_duration_seconds: 3600,
      },
      ada,
    )
    expect(await jobOf(id, ada)).toMatchObject({
      gpu_count: 4,
      gpu_memory_gb: 40,
      estimated_duration_seconds: 3600,
      project_id: 'default',
      status: 'queued',
    })
    await cancel(id, ada)
  })
})

describe('a command job', () => {
  it('starts in an uploaded directory of its project, and only of its project', async () => {
    const before = await submitted({}, ada)
    const hash = 'cd'.repeat(32)
    const manifest = { version: 1, entries: [{ path: 'train.py', bytes: 8, sha256: 'ab'.repeat(32) }] }
    await db.pool.query(
      `WITH archive AS (
         INSERT INTO archives (id, project_id, hash, manifest, files, bytes)
         SELECT gen_random_uuid(), project_id, decode($2, 'hex'), $3, 1, 8 FROM jobs WHERE id = $1 RETURNING id)
       INSERT INTO archive_holders (archive_id, user_id)
       SELECT archive.id, j.user_id FROM archive, jobs j WHERE j.id = $1`,
      [before, hash, JSON.stringify(manifest)],
    )
    const id = await submitted({ command: 'python train.py', archive: hash }, ada)
    expect(await call(jobRoutes.get, '/x', { params: { id }, ...ada })).toMatchObject({
      body: { command: 'python train.py', archive: { hash, files: 1, bytes: 8 } },
    })
    expect(await submit({ command: 'python train.py', archive: hash }, bob)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'archive' }] },
    })
    expect((await submit({ command: 'true', archive: 'x' }, ada)).status).toBe(422)
    for (const job of [before, id]) await cancel(job, ada)
  })

  it('has its command in every view, and no code', async () => {
    const command = 'python -c "print(1)" && echo \'ü\''
    const id = await submitted({ command, run_id: 'one', env: { SEED: '1' } }, ada)
    expect(await call(jobRoutes.get, '/x', { params: { id }, ...ada })).toMatchObject({
      status: 200,
      body: { name: 'one', command, run_id: 'one', status: 'pending' },
    })
    expect(await call(jobRoutes.source, '/x', { params: { id }, ...ada })).toMatchObject({
      status: 200,
      body: { code: '', command, config: expect.stringContaining('command: "python -c') },
    })
    await cancel(id, ada)
  })

  it('can be submitted again with its current priority, within the limit of the submitter', async () => {
    const id = await submitted({ run_id: 'again', priority: 3 }, ada)
    const askedBy = async (who: Person) => {
      const { body } = await call(jobRoutes.source, '/x', { params: { id }, ...who })
      return parse((body as { config: string }).config)
    }
    await prioritize(id, { priority: -7 }, ada)
    expect(await askedBy(ada)).toMatchObject({ name: 'again', priority: -7 })
    await db.pool.query(`UPDATE users SET job_limits = '{"max_priority": 10}' WHERE id = $1`, [ada.id])
    await prioritize(id, { priority: 50 }, admin)
    expect(await askedBy(admin)).toMatchObject({ priority: 50 })
    expect(await askedBy(ada)).toMatchObject({ priority: 10 })
    await db.pool.query(`UPDATE users SET job_limits = '{"max_priority": 100}' WHERE id = $1`, [ada.id])
    await db.pool.query(`UPDATE jobs SET name = 'renamed' WHERE id = $1`, [id])
    expect(await askedBy(ada)).toMatchObject({ name: 'renamed', priority: 50 })
    await cancel(id, ada)
  })

  it('has a time limit of twice its estimate, or the default without one', async () => {
    const limitOf = async (id: string) =>
      (await db.pool.query('SELECT time_limit_s AS s FROM jobs WHERE id = $1', [id])).rows
    const [guessed, free] = [
      await submitted({ estimated_duration_seconds: 100.5 }, ada),
      await submitted({}, ada),
    ]
    expect([await limitOf(guessed), await limitOf(free)]).toEqual([[{ s: 201 }], [{ s: 86_400 }]])
    await Promise.all([cancel(guessed, ada), cancel(free, ada)])
  })

  it('gets the GPUs of its models, unless it requests a number', async () => {
    const table = { default_requirement: 1, models: { 'Small-3B': 0.5, large: 3.5 } }
    await replaceModels(admin.actor, modelTableSchema.parse(table))
    const gpusOf = async (body: object) => {
      const id = await submitted(body, ada)
      const { gpu_count, gpu_fraction } = await jobOf(id, ada)
      await cancel(id, ada)
      return [gpu_count, gpu_fraction]
    }
    expect(await gpusOf({ command: 'python a.py --llm small-3b' })).toEqual([1, 0.5])
    expect(await gpusOf({ command: 'python a.py --llm=LARGE' })).toEqual([4, null])
    expect(await gpusOf({ command: 'a --llm small-3b; b --llm large' })).toEqual([4, null])
    expect(await gpusOf({ command: 'a --llm unknown' })).toEqual([1, null])
    expect(await gpusOf({ command: 'a --llm large', gpu_count: 2 })).toEqual([2, null])
    expect(await gpusOf({ command: 'a --llm large', gpu_fraction: 0.25 })).toEqual([1, 0.25])
    expect(await gpusOf({ command: 'a --llm large', gpu_count: 0 })).toEqual([0, null])
  })

  it('is one job per idempotency key; another job with the same key is rejected', async () => {
    const keyed = { ...ada, headers: { 'idempotency-key': 'same' } }
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit({ command: 'true' }, keyed)))
    expect(new Set(answers.map(idOf)).size).toBe(1)
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([...Array(19).fill(200), 201])
    expect(await submit({ command: 'false' }, keyed)).toMatchObject({ status: 422 })
    const [id = ''] = answers.map(idOf)
    await cancel(id, ada)
    expect((await submit({ command: 'true' }, keyed)).body).toMatchObject({ job_id: id, status: 'cancelled' })
    expect(
      await submit({ command: 'true' }, { ...ada, headers: { 'idempotency-key': 'a b' } }),
    ).toMatchObject({
      status: 400,
    })
  })
})

describe('the owner of a job', () => {
  it('is the caller unless an admin names another', async () => {
    const own = await submitted({ user: ada.handle.toUpperCase() }, ada)
    expect((await jobOf(own, ada)).user).toBe(ada.handle)
    expect(await submit({ command: 'true', user: bob.handle }, ada)).toMatchObject({ status: 403 })
    expect(await submit({ command: 'true', user: 'nobody-yet' }, ada)).toMatchObject({ status: 403 })
    const given = await submitted({ user: bob.handle, project_id: 'shared' }, admin)
    expect(await jobOf(given, bob)).toMatchObject({ user: bob.handle, project_id: 'shared' })
    const { rows } = await db.pool.query(
      `SELECT u.handle FROM projects p JOIN users u ON u.id = p.owner_id WHERE p.slug = 'shared'`,
    )
    expect(rows).toEqual([{ handle: bob.handle }])
    await Promise.all([cancel(own, ada), cancel(given, bob)])
  })

  it('can be a new user without sign-in, created once by concurrent submissions', async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, n) => submitted({ user: n % 2 ? 'Zoe' : 'zoe' }, admin)),
    )
    const { rows } = await db.pool.query(
      `SELECT role, password_hash, invitation_hash, email, (SELECT count(*) FROM jobs WHERE user_id = users.id) AS jobs
         FROM users WHERE lower(handle) = 'zoe'`,
    )
    expect(rows).toEqual([
      { role: 'researcher', password_hash: null, invitation_hash: null, email: null, jobs: 10 },
    ])
    await Promise.all(ids.map((id) => cancel(id, admin)))
  })

  it('cannot have a reserved name or be disabled', async () => {
    await db.pool.query(
      "INSERT INTO users (id, handle, disabled_at) VALUES (gen_random_uuid(), 'gone', now())",
    )
    expect(await submit({ command: 'true', user: 'gone' }, admin)).toMatchObject({ status: 409 })
    expect(await submit({ command: 'true', user: 'me' }, admin)).toMatchObject({ status: 422 })
  })
})
