import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { findTarget } from '../agents/targets'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { upload as uploadJob } from '../routes/testing/upload'
import { type GroupDetail, groupDetailSchema, groupDryRunSchema, groupMemberSchema } from './contract'
import { releaseMembers } from './release-members'
import { groupRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  // The first job creates an environment.
  await makeJob()
  // So that no answer says that a submission created the project.
  await uploadJob(ada)
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE job_groups, jobs, active_job_changes, idempotency_keys CASCADE')
  await db.pool.query('TRUNCATE nodes CASCADE')
  await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 100')
})

const base = {
  competition_id: 'c',
  project_id: 'p',
  expected_time: 60,
  command: 'python train.py',
  parallel: 100,
}

async function post(config: object, { person = ada, query = '', headers = {}, signal }: Sending = {}) {
  return call(groupRoutes.create, `/api/groups${query}`, {
    method: 'POST',
    body: { config: { ...base, ...config } },
    cookie: person.cookie,
    headers,
    ...(signal && { signal }),
  })
}
interface Sending {
  person?: Person
  query?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}
async function create(config: object, sending: Sending = {}): Promise<GroupDetail> {
  const { body } = await post(config, sending)
  expect(body).toMatchObject({ group_id: expect.any(String) })
  return groupDetailSchema.parse(body)
}
const dryRun = async (config: object) =>
  groupDryRunSchema.parse((await post(config, { query: '?dry_run=true' })).body)
const read = async (id: string) =>
  groupDetailSchema.parse(
    (await call(groupRoutes.get, `/api/groups/${id}`, { cookie: ada.cookie, params: { id } })).body,
  )
const membersOf = async (id: string, query = '') => {
  const { body } = await call(groupRoutes.members, `/api/groups/${id}/members${query}`, {
    cookie: ada.cookie,
    params: { id },
  })
  return groupMemberSchema.array().parse(body)
}
async function jobsOf(id: string) {
  const { rows } = await db.pool.query<{
    id: string
    name: string
    command: string
    priority: number
    spec: Record<string, unknown>
  }>(
    'SELECT j.id, j.name, j.command, j.priority, j.spec FROM jobs j JOIN group_members m ON m.job_id = j.id AND m.group_id = j.group_id WHERE j.group_id = $1 ORDER BY m.index',
    [id],
  )
  return rows
}
async function release() {
  while (await releaseMembers());
}
const end = (status: string) =>
  db.pool.query(
    `UPDATE jobs SET status = $1::"JobStatus", reason = CASE WHEN $1 = 'completed' THEN 'finished' ELSE 'exit_code' END,
            exit_code = CASE WHEN $1 = 'completed' THEN 0 ELSE 1 END, ended_at = now(), result_stored = true, final_metrics = '{"loss": 0.5}'`,
    [status],
  )
const stored = async () => {
  const { rows } = await db.pool.query(
    `SELECT (SELECT count(*)::int FROM job_groups) AS groups, (SELECT count(*)::int FROM group_members) AS members,
            (SELECT count(*)::int FROM idempotency_keys) AS keys, (SELECT count(*)::int FROM audit_events WHERE action = 'group_created') AS events,
            (SELECT count(*)::int FROM projects WHERE slug = 'unknown') AS projects`,
  )
  return rows[0]
}

describe('a wave', () => {
  it('members run with their own keys over those of the group, and their pages show what differs', async () => {
    const group = await create({
      env: { A: '1' },
      members: [
        { name: 'idea', gpu_count: 2, env: { LR: '0.1' }, priority: -5, tags: ['x', 'y'] },
        { command: 'python other.py {index} {lr}', gpu_fraction: 0.5, max_time: '2h' },
        {},
      ],
    })
    expect(group).toMatchObject({
      kind: 'wave',
      members: 3,
      parameters: ['name', 'gpu_count', 'priority', 'tags', 'env.LR', 'gpu_fraction', 'max_time', 'command'],
      hints: ['{lr} names no parameter, so it stays as it is.'],
    })
    await release()
    const jobs = await jobsOf(group.group_id)
    expect(jobs).toMatchObject([
      {
        name: 'idea',
        command: 'python train.py',
        priority: -5,
        spec: { gpu_count: 2, env: { A: '1', LR: '0.1', GPUQ_PARAMS: '{"index":0}' }, tags: ['x', 'y'] },
      },
      {
        name: '#1 index=1',
        command: 'python other.py 1 {lr}',
        spec: { gpu_count: 1, gpu_fraction: 0.5, max_time: 7200, env: { A: '1' } },
      },
      { command: 'python train.py', spec: { gpu_count: 1 } },
    ])
    expect(jobs[0]?.spec).not.toHaveProperty('members')
    expect((await membersOf(group.group_id)).map(({ parameters }) => parameters)).toEqual([
      { name: 'idea', gpu_count: 2, priority: -5, tags: 'x y', 'env.LR': '0.1' },
      { command: 'python other.py {index} {lr}', gpu_fraction: 0.5, max_time: 7200 },
      {},
    ])
  })

  it('a manager of the project sees what differs, and no values of variables', async () => {
    const { group_id: id } = await create({
      objective: { metric: 'loss', mode: 'min' },
      members: [{ name: 'a', env: { API_KEY: 'secret of ada' } }],
    })
    await release()
    await end('completed')
    const manager = await makePerson()
    await db.pool.query(
      `INSERT INTO memberships (project_id, user_id, role) SELECT project_id, $2, 'manager' FROM job_groups WHERE id = $1`,
      [id, manager.id],
    )
    const [job] = await jobsOf(id)
    const seenBy = async ({ cookie }: Person) => {
      const request = { cookie, params: { id } }
      const answers = [
        await call(groupRoutes.members, `/api/groups/${id}/members`, request),
        await call(groupRoutes.get, `/api/groups/${id}`, request),
        await call(groupRoutes.ofJob, '/x', { cookie, params: { id: job?.id ?? '' } }),
      ]
      return answers.map(({ body }) => JSON.stringify(body))
    }
    for (const text of await seenBy(ada)) expect(text).toContain('secret of ada')
    for (const text of await seenBy(manager)) {
      expect(text).toContain('"env.API_KEY":"(hidden)"')
      expect(text).not.toContain('secret of ada')
    }
  })

  it('each member of a wave can be repeated, and the wave needs no command if each member has one', async () => {
    const group = await create({
      command: undefined,
      repeat: 2,
      members: [{ command: 'a' }, { command: 'b' }],
    })
    await release()
    expect((await jobsOf(group.group_id)).map(({ command, name }) => [command, name])).toEqual([
      ['a', '#0 index=0 repeat=0'],
      ['a', '#1 index=0 repeat=1'],
      ['b', '#2 index=1 repeat=0'],
      ['b', '#3 index=1 repeat=1'],
    ])
    expect(await post({ command: undefined, members: [{ command: 'a' }, {}] })).toMatchObject({
      status: 422,
      body: { detail: 'config.command: is missing: write what each member runs' },
    })
  })

  it.each([
    [{ members: [] }, 'config.members: has no members: write at least one'],
    [{ members: 5 }, 'config.members: must be a list of members, each with the keys in which it differs'],
    [
      { members: Array.from({ length: 1001 }, () => ({})) },
      'config.members: has 1,001 members, and a wave has at most 1,000: send several waves',
    ],
    [
      { members: [{}, 'a'] },
      'config.members[1]: must be a mapping of keys to values, such as {args: [--lr, "0.1"]}',
    ],
    [
      { members: [{}, { gpu_cuont: 1 }] },
      'config.members[1].gpu_cuont: is no key of a job: did you mean `gpu_count`?',
    ],
    [{ members: [{ zzzzzz: 1 }] }, 'config.members[0].zzzzzz: is no key of a job: remove it'],
    [{ members: [{ gpu_count: 'x' }] }, 'config.members[0].gpu_count: must be a whole number'],
    [{ members: [{ priority: null }] }, 'config.members[0].priority: must be a whole number'],
    [
      { members: [{ parallel: 1 }] },
      'config.members[0].parallel: is a key of the group: write it outside of members',
    ],
    [
      { members: [{ project_id: 'q' }] },
      'config.members[0].project_id: is for the whole group, which belongs to one project: write it outside of members',
    ],
    [{ members: [{ run_name: 'r' }] }, 'config.members[0].run_name: is for one job: remove it'],
    [
      { members: [{ idempotency_key: 'k' }, {}, { idempotency_key: 'k' }] },
      'config.members[2].idempotency_key: is also that of members[0]: each member has a key of its own',
    ],
    [
      { members: [{ args: ['a'] }] },
      'config.members[0].args: are only for solution.py: write them into the command',
    ],
    [
      { members: [{}], matrix: { lr: [1] } },
      'config.members: is another form of matrix: remove one of the two keys',
    ],
    [{ members: [{}], array: '0-3' }, 'config.members: is another form of array: remove one of the two keys'],
    [{ members: [{}], search: 'random', samples: 3 }, 'config.search: needs a matrix'],
    [{ members: [{}], samples: 3 }, 'config.samples: is only for search: random'],
    [
      { members: [{}, { environment: 'nowhere' }] },
      /^members\[1\]\.environment: there is no environment "nowhere"/,
    ],
    [{ members: Array.from({ length: 200 }, () => ({})), repeat: 100 }, /^repeat: makes 20,000 members/],
  ])('%j is refused, and nothing is stored', async (config, detail) => {
    const before = await stored()
    expect(await post(config)).toMatchObject({
      status: 422,
      body: { detail: typeof detail === 'string' ? detail : expect.stringMatching(detail) },
    })
    expect(await stored()).toEqual(before)
  })

  it('many mistakes are 20 errors', async () => {
    const members = Array.from({ length: 1000 }, () => ({ a: 1, b: 1 }))
    const { body } = await post({ members })
    expect((body as { errors: unknown[] }).errors).toHaveLength(20)
  })

  it('a member that never fits is named, and nothing is stored', async () => {
    await makeNode({ gpus: 2 })
    expect(await post({ members: [{ gpu_count: 2 }, { gpu_count: 2 }, {}, { gpu_count: 8 }] })).toMatchObject(
      {
        status: 422,
        body: {
          code: 'never_fits',
          detail: expect.stringMatching(/^members\[3\]: /),
          errors: [{ path: 'members[3].gpu_count', message: expect.stringContaining('at most 2') }],
        },
      },
    )
    expect(await stored()).toMatchObject({ groups: 0, members: 0 })
  })

  it('a member whose key is known with the same content is the job of the earlier wave', async () => {
    const first = await create({
      repeat: 2,
      members: [{ idempotency_key: 'a', priority: -1 }, { idempotency_key: 'b' }],
    })
    const [one, two] = await membersOf(first.group_id)
    const second = await create({
      repeat: 2,
      objective: { metric: 'loss', mode: 'min' },
      members: [{ priority: -7 }, { priority: -1, idempotency_key: 'a' }],
    })
    const id = second.group_id
    // While the earlier wave holds it, it is held here too.
    expect(second.counts).toMatchObject({ held: 4 })
    expect(
      (await membersOf(id)).map(({ existing, job_id, status }) => [existing, job_id, status]).slice(2),
    ).toEqual([
      [true, one?.job_id, 'held'],
      [true, two?.job_id, 'held'],
    ])
    await release()
    expect(await jobsOf(id)).toHaveLength(2)
    expect(await jobsOf(first.group_id)).toHaveLength(4)
    expect((await read(id)).counts).toMatchObject({ held: 0, pending: 4 })
    const { body } = await call(groupRoutes.ofJob, '/api/jobs/x/group', {
      cookie: ada.cookie,
      params: { id: one?.job_id ?? '' },
    })
    expect(body).toMatchObject({ group_id: first.group_id, member: { index: 0 } })
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now(), result_stored = true WHERE group_id = $1`,
      [id],
    )
    await release()
    // It ends with the jobs of the earlier wave.
    expect(await read(id)).toMatchObject({ status: 'running', counts: { completed: 2, pending: 2 } })
    await end('completed')
    await release()
    expect(await read(id)).toMatchObject({
      status: 'completed',
      counts: { completed: 4 },
      best: { objective: 0.5 },
    })
  })

  it('a wave whose members are all known starts nothing again', async () => {
    const wave = { members: [{ idempotency_key: 'a' }, { idempotency_key: 'b', env: { B: '1', A: '2' } }] }
    await create(wave)
    await release()
    const again = await create({
      members: [{ env: { A: '2', B: '1' }, idempotency_key: 'b' }, { idempotency_key: 'a' }],
    })
    await release()
    const { rows } = await db.pool.query('SELECT count(*)::int AS jobs FROM jobs')
    expect(rows[0]).toEqual({ jobs: 2 })
    await end('failed')
    await release()
    expect(await read(again.group_id)).toMatchObject({ status: 'failed', counts: { failed: 2 } })
  })

  it('a member that cannot start any more does not hold up those after it', async () => {
    await makeNode({ gpus: 2 })
    const group = await create({ members: [{ gpu_count: 2 }, {}, {}], parallel: 1 })
    await db.pool.query('DELETE FROM gpus WHERE index = 1')
    await release()
    expect(await read(group.group_id)).toMatchObject({
      counts: { held: 2, pending: 1 },
      problem: expect.stringMatching(/^members\[0\]: /),
    })
    await end('completed')
    await db.pool.query("UPDATE job_groups SET retry_at = now() - interval '1 second'")
    await release()
    expect(await read(group.group_id)).toMatchObject({ counts: { held: 1, pending: 1, completed: 1 } })
  })

  it('the cancelling of a wave leaves the jobs of earlier waves', async () => {
    await create({ members: [{ idempotency_key: 'a' }] })
    const second = await create({ members: [{ idempotency_key: 'a' }, {}] })
    await release()
    const { body } = await call(groupRoutes.cancel, '/api/groups/x/cancel', {
      method: 'POST',
      cookie: ada.cookie,
      params: { id: second.group_id },
    })
    expect(body).toMatchObject({ counts: { pending: 1, cancelled: 1 } })
    await release()
    // It does not wait for what goes on without it.
    expect(await read(second.group_id)).toMatchObject({
      status: 'cancelled',
      counts: { pending: 0, cancelled: 2 },
    })
  })

  it('a failed member of a wave runs again with its own config, also for later waves that have its job by a key', async () => {
    const first = await create({ members: [{ idempotency_key: 'a', priority: -3 }, {}] })
    const second = await create({ members: [{ idempotency_key: 'a', priority: -3 }] })
    await release()
    const [failed] = await jobsOf(first.group_id)
    await db.pool.query(
      `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now() WHERE id = $1`,
      [failed?.id],
    )
    await release()
    const rerun = (id: string) =>
      call(groupRoutes.rerunFailed, '/api/groups/x/rerun-failed', {
        method: 'POST',
        cookie: ada.cookie,
        params: { id },
      })
    expect(await read(second.group_id)).toMatchObject({ status: 'failed', counts: { failed: 1 } })
    expect(await rerun(second.group_id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/^The members that failed are jobs of earlier waves/) },
    })
    expect((await rerun(first.group_id)).status).toBe(200)
    expect(await read(second.group_id)).toMatchObject({ status: 'running', counts: { held: 1, failed: 0 } })
    const [held] = await membersOf(second.group_id)
    expect(await findTarget(ada.actor, held?.job_id ?? '')).toMatchObject({ status: 'held', ended: false })
    await release()
    const [again] = await jobsOf(first.group_id)
    expect(again).toMatchObject({ priority: -3 })
    expect(again?.id).not.toBe(failed?.id)
    expect((await membersOf(second.group_id)).map(({ job_id }) => job_id)).toEqual([again?.id])
    const third = await create({ members: [{ idempotency_key: 'a', priority: -3 }] })
    expect((await membersOf(third.group_id)).map(({ job_id }) => job_id)).toEqual([again?.id])
    expect(await read(third.group_id)).toMatchObject({ counts: { held: 0, pending: 1 } })
  })

  it('a wave is not extended', async () => {
    const { group_id: id } = await create({ members: [{}] })
    const request = { method: 'POST', body: { repeat: 2 }, cookie: ada.cookie, params: { id } }
    expect(await call(groupRoutes.extend, '/api/groups/x/extend', request)).toMatchObject({ status: 409 })
  })

  it('a key that was used for another submission is refused, also the other way round', async () => {
    await create({ members: [{ idempotency_key: 'a' }] })
    const refused = {
      status: 422,
      body: {
        detail: 'members[1].idempotency_key: was used for another submission: use a new key for a new member',
      },
    }
    const other = [{}, { idempotency_key: 'a', priority: -3 }]
    expect(await post({ members: other })).toMatchObject(refused)
    expect(await post({ repeat: 2, members: [{}, { idempotency_key: 'a' }] })).toMatchObject(refused)
    expect(await uploadJob(ada, {}, 'wait=false', { 'idempotency-key': 'a' })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/^This Idempotency-Key was used for another submission/) },
    })
    expect((await uploadJob(ada, {}, 'wait=false', { 'idempotency-key': 'b' })).status).toBe(202)
    expect(await post({ members: [{}, { idempotency_key: 'b' }] })).toMatchObject(refused)
    // The keys of another user do not matter.
    await create({ members: other }, { person: bob })
  })

  it('a key in another project of the same name is not the earlier job', async () => {
    await create({ project_id: 'moved', members: [{ idempotency_key: 'a' }] })
    await db.pool.query(`UPDATE projects SET slug = 'before' WHERE slug = 'moved'`)
    expect(await post({ project_id: 'moved', members: [{ idempotency_key: 'a' }] })).toMatchObject({
      status: 422,
    })
  })

  it('members of a directory can each run another file of it, and a missing one is named', async () => {
    const upload = async (members: object[], query = '') => {
      const form = new FormData()
      for (const name of ['main.py', 'other.py']) form.append('files', new Blob([name]), name)
      const config = JSON.stringify({ ...base, command: undefined, args: ['0.10'], members })
      form.append('config_file', new Blob([config]), 'config.yaml')
      const request = new Request(`http://localhost:8001/api/groups${query}`, {
        method: 'POST',
        headers: { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' },
        body: form,
      })
      const response = await groupRoutes.create(request, { params: Promise.resolve({}) })
      return { status: response.status, body: await response.json() }
    }
    const members = [{}, { entrypoint: 'other.py' }, { entrypoint: 'lost.py' }]
    for (const query of ['', '?dry_run=true'])
      expect(await upload(members, query)).toMatchObject({
        status: 422,
        body: { detail: expect.stringMatching(/^members\[2\]\.entrypoint: /) },
      })
    const { status, body } = await upload(members.slice(0, 2))
    expect(status).toBe(201)
    await release()
    expect((await jobsOf(body.group_id)).map(({ spec }) => [spec.entrypoint, spec.args])).toEqual([
      ['main.py', ['0.10']],
      ['other.py', ['0.10']],
    ])
    const thousand = Array.from({ length: 1000 }, (_, at) => ({
      entrypoint: 'other.py',
      memory_gb: 1 + at / 1000,
    }))
    expect(await upload(thousand)).toMatchObject({ status: 201, body: { members: 1000 } })
  })

  it('two waves with the same key at once make one job', async () => {
    const waves = await Promise.all(
      Array.from({ length: 4 }, () => create({ members: [{ idempotency_key: 'a' }] })),
    )
    await Promise.all([release(), release()])
    const { rows } = await db.pool.query('SELECT count(*)::int AS jobs FROM jobs')
    expect(rows[0]).toEqual({ jobs: 1 })
    const ids = await Promise.all(waves.map(async ({ group_id }) => (await membersOf(group_id))[0]?.job_id))
    expect(new Set(ids).size).toBe(1)
  })

  it('100 clients that are killed while they submit a wave, and send it again with its keys: each wave and each member exists once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 100 }, async (_, client) => {
        const wave = {
          members: [1, 2].map((member) => ({ idempotency_key: `client-${client}-member-${member}` })),
        }
        const headers = { 'idempotency-key': `client-${client}` }
        const death = new AbortController()
        // The server goes on with what a dead client sent, also beside what is sent again.
        const first = post(wave, { headers, signal: death.signal }).catch(() => null)
        await sleep(client % 25)
        death.abort()
        const { group_id } = await create(wave, { headers })
        await first
        return group_id
      }),
    )
    expect(new Set(ids).size).toBe(100)
    expect(await stored()).toMatchObject({ groups: 100, members: 200 })
    const { rows } = await db.pool.query(
      `SELECT count(DISTINCT key)::int AS keys, count(DISTINCT job_id)::int AS jobs FROM idempotency_keys WHERE key LIKE 'client-%-member-_'`,
    )
    expect(rows).toEqual([{ keys: 200, jobs: 200 }])
  })

  it('1,000 members that all differ are accepted, and found again', async () => {
    const members = Array.from({ length: 1000 }, (_, at) => ({
      memory_gb: 1 + at / 1000,
      command: `python train.py --lr ${at} ${'x'.repeat(300)}`,
      idempotency_key: `k${at}`,
    }))
    expect((await create({ members })).counts.held).toBe(1000)
    expect((await create({ members })).counts.held).toBe(1000)
    expect(await dryRun({ members })).toMatchObject({ members: 1000, existing: 1000 })
  })
})

describe('a dry run of a group', () => {
  it('a dry run says what a group would do, and stores nothing', async () => {
    await makeNode({ gpus: 2 })
    const before = await stored()
    expect(
      await dryRun({
        project_id: 'unknown',
        command: 'python train.py {lrr}',
        max_time: 7200,
        expected_time: 3600,
        members: [{ gpu_count: 2 }, {}, { gpu_fraction: 0.5, expected_time: 1800 }],
        parallel: 2,
      }),
    ).toMatchObject({
      kind: 'wave',
      project_note: expect.stringMatching(/^Creates the private project "unknown"/),
      members: 3,
      existing: 0,
      parallel: 2,
      gpu_hours: { expected: 3.25, most: 7 },
      run_hours: { expected: 2.5, most: 6 },
      hints: ['{lrr} names no parameter, so it stays as it is.'],
      text: expect.stringMatching(
        /^gpuq would accept the group\. Nothing was queued\. It has 3 members, at most 2 at once\./,
      ),
    })
    expect(await stored()).toEqual(before)
  })

  it('a dry run of a sweep needs no program, and is refused as its submission', async () => {
    expect(
      await dryRun({ command: undefined, archive: undefined, matrix: { lr: [1, 2] } }).catch(() => null),
    ).toBeNull()
    expect(await dryRun({ matrix: { lr: [1, 2] } })).toMatchObject({
      kind: 'sweep',
      members: 2,
      hints: [expect.stringContaining('{lr}')],
    })
    expect(await post({ matrix: { lr: [1, 1] } }, { query: '?dry_run=true' })).toMatchObject({ status: 422 })
  })

  it('a dry run tells what the group would wait for', async () => {
    const first = String((await uploadJob(ada)).body.job_id)
    expect(await dryRun({ members: [{}], depends_on: [first] })).toMatchObject({
      expected_start: null,
      queue_position: null,
      expected_start_text: `It waits for others. Not completed: ${first}.`,
    })
  })

  it('a dry run does not use up an idempotency key', async () => {
    const headers = { 'idempotency-key': 'once' }
    await post({ members: [{ idempotency_key: 'a' }] }, { query: '?dry_run=true', headers })
    await create({ members: [{ idempotency_key: 'a', priority: -3 }] }, { headers })
  })
})
