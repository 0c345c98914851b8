import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deleteProject } from '../access/projects/projects'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { deleteJobFiles } from '../jobs/lifecycle/delete-files'
import { listJobs } from '../jobs/read/list'
import { readJob, readSource } from '../jobs/read/read'
import { logger } from '../logger'
import { upload as uploadJob } from '../routes/testing/upload'
import { continueCancelling } from './cancel-members'
import {
  type GroupDetail,
  groupDetailSchema,
  groupMemberSchema,
  groupOfJobSchema,
  groupSchema,
} from './contract'
import { releaseMembers } from './release-members'
import { groupRoutes } from './routes'
import { updateGroup } from './update-group'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[ada, bob, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
  // The first job creates an environment, and the first group the project.
  await makeJob()
  await create(sweep)
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE job_groups, jobs, active_job_changes CASCADE')
  await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 100')
  await db.pool.query('UPDATE policies SET max_queue_size = 1000')
})

const base = { competition_id: 'c', project_id: 'p', expected_time: 10, command: 'python train.py --lr {lr}' }

async function create(config: object, person = ada, headers: Record<string, string> = {}) {
  const answer = await call(groupRoutes.create, '/api/groups', {
    method: 'POST',
    body: { config: { ...base, ...config } },
    cookie: person.cookie,
    headers,
  })
  return {
    ...answer,
    group: answer.status < 300 ? groupDetailSchema.parse(answer.body) : ({} as GroupDetail),
  }
}
const sweep = { matrix: { lr: { from: 1, to: 6 } }, parallel: 2 }

const read = async (id: string, person = ada) =>
  groupDetailSchema.parse(
    (await call(groupRoutes.get, `/api/groups/${id}`, { cookie: person.cookie, params: { id } })).body,
  )
const membersOf = async (id: string, query = '') => {
  const { body } = await call(groupRoutes.members, `/api/groups/${id}/members${query}`, {
    cookie: ada.cookie,
    params: { id },
  })
  return groupMemberSchema.array().parse(body)
}
const cancel = (id: string, person = ada) =>
  call(groupRoutes.cancel, `/api/groups/${id}/cancel`, {
    method: 'POST',
    cookie: person.cookie,
    params: { id },
  })

/** The members that have a job, in their order. */
async function jobsOf(id: string) {
  const { rows } = await db.pool.query<{ id: string; status: string; command: string; index: number }>(
    'SELECT j.id, j.status, j.command, m.index FROM jobs j JOIN group_members m ON m.job_id = j.id WHERE j.group_id = $1 ORDER BY m.index',
    [id],
  )
  return rows
}

/** Ends the members with these numbers as their programs would. */
async function end(
  id: string,
  indexes: number[],
  status: 'completed' | 'failed' = 'completed',
  metrics = {},
) {
  await db.pool.query(
    `UPDATE jobs j SET status = $3::"JobStatus", reason = CASE WHEN $3 = 'completed' THEN 'finished' ELSE 'exit_code' END,
            exit_code = CASE WHEN $3 = 'completed' THEN 0 ELSE 1 END, ended_at = now(), result_stored = true, final_metrics = $4
       FROM group_members m WHERE m.job_id = j.id AND m.group_id = $1 AND m.index = ANY ($2)`,
    [id, indexes, status, metrics],
  )
}

/** As the leader does after each change of the queue. */
async function release() {
  while (await releaseMembers());
}

describe('a group', () => {
  it('a group is accepted in one request, and its members enter the queue as its places become free', async () => {
    const { status, group, headers } = await create(sweep)
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/api/groups/${group.group_id}`)
    expect(group).toMatchObject({
      status: 'running',
      kind: 'sweep',
      members: 6,
      parallel: 2,
      parameters: ['lr'],
      counts: { held: 6, pending: 0 },
      hints: [],
    })
    await release()
    expect((await jobsOf(group.group_id)).map(({ command }) => command)).toEqual([
      'python train.py --lr 1',
      'python train.py --lr 2',
    ])
    await release()
    expect(await read(group.group_id)).toMatchObject({ counts: { held: 4, pending: 2 } })
    await end(group.group_id, [0])
    await release()
    expect(await read(group.group_id)).toMatchObject({ counts: { held: 3, pending: 2, completed: 1 } })
  })

  it('a member has its id and its address from the start', async () => {
    const { group } = await create(sweep)
    const before = await membersOf(group.group_id)
    expect(before.map(({ status, parameters }) => [status, parameters.lr])).toEqual(
      [1, 2, 3, 4, 5, 6].map((lr) => ['held', lr]),
    )
    await release()
    const after = await membersOf(group.group_id)
    expect(after.map(({ job_id }) => job_id)).toEqual(before.map(({ job_id }) => job_id))
    expect(after.map(({ status }) => status)).toEqual(['pending', 'pending', 'held', 'held', 'held', 'held'])
    expect((await membersOf(group.group_id, '?status=pending')).map(({ index }) => index)).toEqual([0, 1])
  })

  it('a group whose members have all ended has ended, and names the best of those that completed', async () => {
    const { group } = await create({ ...sweep, parallel: 6, objective: { metric: 'loss', mode: 'min' } })
    const id = group.group_id
    await release()
    await end(id, [0], 'completed', { loss: 0.5 })
    await end(id, [1], 'completed', { loss: 0.25, accuracy: 0.9 })
    await end(id, [2], 'failed', { loss: 0.1 })
    await end(id, [3], 'completed', {})
    await end(id, [4, 5], 'completed', { loss: 0.25 })
    expect(await read(id)).toMatchObject({ status: 'running', ended_at: null })
    await release()
    expect(await read(id)).toMatchObject({
      status: 'failed',
      counts: { held: 0, completed: 5, failed: 1 },
      best: { index: 1, objective: 0.25, metrics: { accuracy: 0.9 } },
    })
    expect((await read(id)).ended_at).not.toBeNull()
  })

  it('a member whose last value of the objective is NaN is never the best, whether a small or a large value is better', async () => {
    for (const mode of ['min', 'max'] as const) {
      const { group } = await create({ ...sweep, parallel: 6, objective: { metric: 'loss', mode } })
      const id = group.group_id
      await release()
      await end(id, [0, 1], 'completed', { loss: null, accuracy: 0.5 })
      expect((await read(id)).best).toBeNull()
      await end(id, [2], 'completed', { loss: 0.5 })
      expect((await read(id)).best).toMatchObject({ index: 2, objective: 0.5, not_finite: [] })
      const [first] = await membersOf(id)
      expect(first).toMatchObject({ objective: null, metrics: { accuracy: 0.5 }, not_finite: ['loss'] })
      const { rows } = await db.pool.query(
        'SELECT j.name FROM job_metrics j JOIN group_members m USING (job_id) WHERE m.group_id = $1 AND m.index = 0',
        [id],
      )
      expect(rows).toEqual([{ name: 'accuracy' }])
    }
  })

  it('a user with one active job runs the members one after the other', async () => {
    await db.pool.query('UPDATE users SET max_active_jobs = 1')
    await uploadJob(ada)
    const { status, group } = await create({ ...sweep, parallel: 6 })
    expect(status).toBe(201)
    await release()
    expect(await jobsOf(group.group_id)).toHaveLength(0)
    expect((await read(group.group_id)).problem).toMatch(
      /^Its user has as many active or waiting jobs as the limits/,
    )
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now()`,
    )
    for (const index of [0, 1]) {
      await release()
      expect((await jobsOf(group.group_id)).filter((job) => job.status === 'pending')).toMatchObject([
        { index },
      ])
      await end(group.group_id, [index])
    }
  })

  it('a group that depends on a job holds its members until that job has completed', async () => {
    const first = String((await uploadJob(ada)).body.job_id)
    const { group } = await create({ ...sweep, parallel: 6, depends_on: [first] })
    await release()
    expect(await read(group.group_id)).toMatchObject({
      counts: { held: 6, pending: 0 },
      problem: `It waits for others. Not completed: ${first}.`,
    })
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now()`,
    )
    await db.pool.query("UPDATE job_groups SET retry_at = now() - interval '1 second'")
    await release()
    expect(await read(group.group_id)).toMatchObject({ counts: { held: 0, pending: 6 }, problem: null })
  })

  it('a group that depends on a job that failed ends, and says why', async () => {
    const first = String((await uploadJob(ada)).body.job_id)
    const { group } = await create({ ...sweep, depends_on: [first] })
    await db.pool.query(
      `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now()`,
    )
    await release()
    await release()
    expect(await read(group.group_id)).toMatchObject({
      status: 'cancelled',
      counts: { held: 0, cancelled: 6 },
      problem: `The job ${first} has ended as failed. So the members of this group cannot start.`,
    })
  })

  it('a wait for any member returns at once if more have ended than the caller knows', async () => {
    const { group } = await create(sweep)
    await release()
    await end(group.group_id, [0])
    const wait = (query: string) =>
      call(groupRoutes.wait, `/api/groups/x/wait?${query}`, {
        cookie: ada.cookie,
        params: { id: group.group_id },
      })
    expect(await wait('for=any&ended=0&seconds=60')).toMatchObject({
      status: 200,
      body: { counts: { completed: 1 } },
    })
    expect(await wait('for=any&ended=1&seconds=0')).toMatchObject({ status: 200, body: { ended_at: null } })
  })

  it('a project with a group is not deleted', async () => {
    const { group } = await create(sweep)
    const { rows } = await db.pool.query('SELECT project_id AS id FROM job_groups WHERE id = $1', [
      group.group_id,
    ])
    await expect(deleteProject(ada.actor, rows[0].id)).rejects.toThrow(/has jobs/)
  })

  it('a group is one submission, and its members are none', async () => {
    await db.pool.query('UPDATE users SET submissions_per_minute = 2')
    expect((await create({ ...sweep, parallel: 6 })).headers.get('ratelimit-remaining')).toBe('1')
    await release()
    expect((await create(sweep)).status).toBe(201)
    expect(await create(sweep)).toMatchObject({
      status: 429,
      body: { detail: expect.stringMatching(/^You have submitted 2 jobs in the last minute/) },
    })
    expect((await uploadJob(ada)).status).toBe(429)
  })

  it('a full queue keeps the members in their group, which says why', async () => {
    await db.pool.query('UPDATE policies SET max_queue_size = 3')
    const { group } = await create({ ...sweep, parallel: 6 })
    await release()
    expect(await read(group.group_id)).toMatchObject({ counts: { held: 3, pending: 3 } })
    await release()
    expect(await read(group.group_id)).toMatchObject({ problem: expect.stringMatching(/^The queue is full/) })
    await db.pool.query(`UPDATE policies SET max_queue_size = 1000`)
    await db.pool.query("UPDATE job_groups SET retry_at = now() - interval '1 second'")
    await release()
    expect(await read(group.group_id)).toMatchObject({ problem: null, counts: { held: 0, pending: 6 } })
  })

  it('concurrent releases start each member once, and never more than the group permits', async () => {
    const { group } = await create({ ...sweep, matrix: { lr: { from: 1, to: 40 } }, parallel: 7 })
    for (let round = 0; round < 6; round++) {
      await Promise.all(Array.from({ length: 4 }, releaseMembers))
      const live = (await jobsOf(group.group_id)).filter(({ status }) => status === 'pending')
      expect(live.length).toBeLessThanOrEqual(7)
      await end(
        group.group_id,
        live.map(({ index }) => index),
      )
    }
    await release()
    const jobs = await jobsOf(group.group_id)
    expect(new Set(jobs.map(({ index }) => index)).size).toBe(jobs.length)
    const { counts } = await read(group.group_id)
    expect(counts.held + jobs.length).toBe(40)
  })

  it('members are not in the list of jobs unless it is the list of their group', async () => {
    const { group } = await create({ ...sweep, parallel: 6 })
    await release()
    const { body } = await uploadJob(ada)
    const list = async (filters: object) => (await listJobs(ada.actor, { limit: 50, ...filters })).items
    expect((await list({})).map(({ job_id }) => job_id)).toEqual([body.job_id])
    expect(await list({ group: group.group_id })).toHaveLength(6)
    expect((await listJobs(bob.actor, { limit: 50, group: group.group_id })).items).toEqual([])
  })

  it('the config of a member has the keys of a job, and its own parameters', async () => {
    const keys = { ...sweep, repeat: 2, objective: { metric: 'loss', mode: 'min' }, stop: { rule: 'median' } }
    const { group } = await create(keys)
    await release()
    const [member] = await jobsOf(group.group_id)
    const { config } = await readSource(ada.actor, member?.id ?? '')
    expect(config).toContain('GPUQ_PARAM_LR: "1"')
    expect(config).not.toMatch(/^(matrix|parallel|repeat|objective|stop|search|seed):/m)
    expect(
      (
        await uploadJob(ada, {
          code: null,
          config: config.replace(/^(competition_id|project_id|expected_time):.*$/gm, ''),
        })
      ).status,
    ).toBe(202)
  })

  it('a group is visible to its owner and to admins only', async () => {
    const { group } = await create(sweep)
    const get = (person: Person) =>
      call(groupRoutes.get, '/api/groups/x', { cookie: person.cookie, params: { id: group.group_id } })
    expect((await get(ada)).status).toBe(200)
    expect((await get(admin)).status).toBe(200)
    for (const id of [group.group_id, 'x', '00000000-0000-4000-8000-000000000000']) {
      const answer = await call(groupRoutes.get, '/api/groups/x', { cookie: bob.cookie, params: { id } })
      expect(answer).toMatchObject({
        status: 404,
        body: { detail: expect.stringMatching(/^You have no group/) },
      })
    }
    expect((await cancel(group.group_id, bob)).status).toBe(404)
    const listed = async (person: Person, query = '') =>
      (await call(groupRoutes.list, `/api/groups${query}`, { cookie: person.cookie })).body
    expect(await listed(ada)).toMatchObject([{ group_id: group.group_id }])
    expect(await listed(bob)).toEqual([])
    expect(await listed(admin, '?all=true')).toMatchObject([{ group_id: group.group_id }])
    expect((await call(groupRoutes.list, '/api/groups?all=true', { cookie: bob.cookie })).status).toBe(403)
  })

  it('the note of a group is changed by its owner and by admins only, whose changes are audited', async () => {
    const { group } = await create({ ...sweep, note: 'As in the paper.' })
    const id = group.group_id
    const update = async (note: string | null, person = ada) =>
      call(groupRoutes.update, '/api/groups/x', {
        method: 'PATCH',
        body: { note },
        cookie: person.cookie,
        params: { id },
      })
    expect(await update('  With half the batch. ')).toMatchObject({
      status: 200,
      body: { note: 'With half the batch.', hypothesis: null },
    })
    expect(await update('x', bob)).toMatchObject({ status: 404 })
    expect(await update('x'.repeat(4001))).toMatchObject({ status: 422 })
    await cancel(id)
    expect(await update('', admin)).toMatchObject({ status: 200, body: { note: null } })
    const { rows } = await db.pool.query(
      `SELECT actor_id FROM audit_events WHERE action = 'group_changed' AND target = $1`,
      [id],
    )
    expect(rows).toEqual([{ actor_id: admin.id }])
  })

  it('the note of a group counts to the storage of its user, also if it is changed', async () => {
    const { group } = await create({ ...sweep, note: 'As in the paper.' })
    const id = group.group_id
    const counted = async () =>
      (
        await db.pool.query(
          `SELECT sum(c.bytes)::int AS ledger, (SELECT record_bytes FROM job_groups WHERE id = $2) AS stored
             FROM storage_changes c WHERE c.user_id = $1 AND c.kind = 'records'`,
          [ada.id, id],
        )
      ).rows[0]
    const before = await counted()
    for (const [note, bytes] of [
      ['ü'.repeat(1000), 2000],
      [null, 0],
      ['As in the paper.', 16],
    ] as const) {
      await updateGroup(ada.actor, id, { note })
      expect(await counted()).toEqual({
        ledger: before.ledger + bytes - 16,
        stored: before.stored + bytes - 16,
      })
    }
  })

  it('the list of active groups leaves out those that have ended', async () => {
    const ended = await create({ matrix: { lr: [1] } })
    await release()
    await end(ended.group.group_id, [0])
    const { group } = await create({ ...sweep, gpu_count: 1 })
    await release()
    const { body } = await call(groupRoutes.list, '/api/groups?active=true', { cookie: ada.cookie })
    expect(groupSchema.array().parse(body)).toMatchObject([{ group_id: group.group_id, gpus: 1 }])
  })

  it('the job of a member names its group, its place and the jobs beside it, to those who may see the job', async () => {
    const { group } = await create(sweep)
    await release()
    const [first, second] = await jobsOf(group.group_id)
    const ofJob = (id = '', person = ada) =>
      call(groupRoutes.ofJob, '/api/jobs/x/group', { cookie: person.cookie, params: { id } })
    const { body } = await ofJob(second?.id)
    expect(groupOfJobSchema.parse(body)).toMatchObject({
      group_id: group.group_id,
      members: 6,
      member: { index: 1, parameters: { lr: 2 }, status: 'pending', has_job: true },
      previous: first?.id,
      // The group still holds it.
      next: null,
    })
    expect((await ofJob(first?.id)).body).toMatchObject({ previous: null, next: second?.id })
    expect((await ofJob(first?.id, bob)).status).toBe(404)
    const single = await uploadJob(ada)
    for (const id of [String(single.body.job_id), 'x']) expect((await ofJob(id)).status).toBe(404)
  })

  it('a repeated request with the same key is the same group, another body is refused', async () => {
    const key = { 'idempotency-key': 'k' }
    const first = await create(sweep, ada, key)
    const again = await create(sweep, ada, key)
    expect(again).toMatchObject({ status: 200, group: { group_id: first.group.group_id } })
    expect((await create({ ...sweep, parallel: 3 }, ada, key)).status).toBe(422)
    expect((await create(sweep, bob, key)).status).toBe(201)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create(sweep, ada, { 'idempotency-key': 'l' })),
    )
    expect(new Set(answers.map(({ group }) => group.group_id)).size).toBe(1)
  })

  it('10,000 members are accepted in one request, and more than the groups of a user may hold are refused', async () => {
    const many = { command: 'true', matrix: { lr: { from: 1, to: 10_000 } } }
    const { status, group } = await create(many)
    expect(status).toBe(201)
    expect(group.counts.held).toBe(10_000)
    expect((await create(many)).status).toBe(201)
    expect(await create({ ...sweep })).toMatchObject({
      status: 429,
      body: {
        detail: expect.stringMatching(/hold 20000 members .* limit is 20000 \(GPUQ_MAX_HELD_MEMBERS\)/),
      },
    })
  })

  it.each([
    ['no parameters', { matrix: undefined }, /config\.matrix: is missing/],
    ['a job’s mistake', { ...sweep, gpu_count: 99 }, /gpu_count/],
    ['no command', { ...sweep, command: undefined }, /command: is missing/],
    [
      'a command that is too long with its values',
      { command: `echo ${'{a}'.repeat(1000)}`, matrix: { a: ['x'.repeat(1000)] } },
      /command: with the values/,
    ],
    ['an unknown key', { ...sweep, stopp: 1 }, /stopp/],
    ['a value twice', { ...sweep, matrix: { lr: [1, 1] } }, /twice/],
  ])('a group with %s is refused with the key, and nothing is stored', async (_, config, words) => {
    const answer = await create(config)
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body)).toMatch(words)
    expect((await db.pool.query('SELECT 1 FROM job_groups')).rowCount).toBe(0)
  })
})

describe('the program of a group', () => {
  const code = 'print(1)'
  /** A group whose members run solution.py, as an upload makes it. */
  async function createWithProgram(config: object = sweep): Promise<string> {
    const { group } = await create(config)
    await db.pool.query('UPDATE job_groups SET command = NULL, code = $2 WHERE id = $1', [
      group.group_id,
      Buffer.from(code),
    ])
    return group.group_id
  }
  const programOf = async (id: string) =>
    (
      await db.pool.query<{ code: Buffer }>('SELECT code FROM job_groups WHERE id = $1', [id])
    ).rows[0]?.code.toString()

  it('the group keeps it as long as it holds members, so that it goes with the files of their jobs', async () => {
    const id = await createWithProgram({ ...sweep, parallel: 4 })
    await release()
    expect(await programOf(id)).toBe(code)
    await end(id, [0, 1, 2, 3])
    await release()
    expect(await programOf(id)).toBe('')
    const jobs = await jobsOf(id)
    expect(jobs).toHaveLength(6)
    for (const job of jobs) expect((await readSource(ada.actor, job.id)).code).toBe(code)
    await end(id, [4, 5])
    await release()
    expect(await read(id)).toMatchObject({ status: 'completed' })
    for (const job of jobs) await deleteJobFiles(ada.actor, job.id)
    expect(
      (await db.pool.query('SELECT 1 FROM programs WHERE content = $1', [Buffer.from(code)])).rowCount,
    ).toBe(0)
  })

  it('a program that is deleted after a release has found it is stored again', async () => {
    const error = vi.spyOn(logger, 'error')
    onTestFinished(() => error.mockRestore())
    const first = await createWithProgram({ ...sweep, parallel: 1 })
    await release()
    const second = await createWithProgram({ ...sweep, parallel: 1 })
    const remover = await db.pool.connect()
    try {
      // As a deletion of files does.
      await remover.query('BEGIN')
      await remover.query('UPDATE jobs SET program_hash = NULL WHERE group_id = $1', [first])
      await remover.query('SELECT 1 FROM programs FOR UPDATE')
      const released = releaseMembers()
      await vi.waitFor(async () => {
        const { rowCount } = await db.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        expect(rowCount).toBeGreaterThan(0)
      }, 60_000)
      await remover.query('DELETE FROM programs WHERE content = $1', [Buffer.from(code)])
      await remover.query('COMMIT')
      await released
    } finally {
      remover.release(true)
    }
    expect(error).not.toHaveBeenCalled()
    const [job] = await jobsOf(second)
    expect((await readSource(ada.actor, job?.id ?? '')).code).toBe(code)
  })

  it('a group that is cancelled does not keep it', async () => {
    const id = await createWithProgram()
    await release()
    await cancel(id)
    expect(await programOf(id)).toBe('')
  })
})

describe('groups that cannot be released', () => {
  it('a group whose members cannot enter the queue does not hold up the groups after it, and is tried again', async () => {
    const error = vi.spyOn(logger, 'error').mockImplementation(() => {})
    onTestFinished(() => error.mockRestore())
    const { group: broken } = await create({ ...sweep, parallel: 1 })
    const { group: other } = await create({ ...sweep, parallel: 1 }, bob)
    const taken = await makeJob()
    // The database refuses a second job with this id.
    await db.pool.query('UPDATE group_members SET job_id = $2 WHERE group_id = $1 AND index = 0', [
      broken.group_id,
      taken,
    ])
    await release()
    expect(await jobsOf(other.group_id)).toHaveLength(1)
    expect(await read(broken.group_id)).toMatchObject({ counts: { held: 6 } })
    expect(error).toHaveBeenCalledWith(
      { err: expect.any(Error), group: broken.group_id },
      expect.stringContaining('could not put members of a group into the queue'),
    )
    await db.pool.query(
      'UPDATE group_members SET job_id = gen_random_uuid() WHERE group_id = $1 AND index = 0',
      [broken.group_id],
    )
    await release()
    expect(await jobsOf(broken.group_id)).toHaveLength(1)
  })
})

describe('a cancelled group', () => {
  it('the members that wait are cancelled, the others never start', async () => {
    const { group } = await create(sweep)
    await release()
    expect(await cancel(group.group_id)).toMatchObject({ status: 200 })
    await release()
    expect(await read(group.group_id)).toMatchObject({
      status: 'cancelled',
      counts: { held: 0, pending: 0, cancelled: 6 },
    })
    expect(await membersOf(group.group_id, '?status=cancelled')).toHaveLength(6)
    expect((await cancel(group.group_id)).status).toBe(200)
  })

  it('a group that is cancelled while its members are released starts none afterwards', async () => {
    for (let round = 0; round < 10; round++) {
      const { group } = await create({ ...sweep, parallel: 6 })
      await Promise.all([release(), cancel(group.group_id), release()])
      await release()
      expect(await read(group.group_id)).toMatchObject({
        status: 'cancelled',
        counts: { pending: 0, held: 0 },
      })
    }
  })

  it('the leader continues to cancel if a web server died while it cancelled the members', async () => {
    const { group } = await create({ ...sweep, parallel: 6 })
    await release()
    await db.pool.query(
      `UPDATE job_groups SET cancelled_at = now(), cancel_reason = 'cancelled_by_user' WHERE id = $1`,
      [group.group_id],
    )
    await continueCancelling()
    await release()
    expect(await read(group.group_id)).toMatchObject({
      status: 'cancelled',
      counts: { cancelled: 6, pending: 0 },
    })
  })

  it('a group that has ended is not cancelled', async () => {
    const { group } = await create({ matrix: { lr: [1] } })
    await release()
    await end(group.group_id, [0])
    await release()
    expect(await cancel(group.group_id)).toMatchObject({ status: 409 })
  })
})

describe('the messages of a group', () => {
  /** A target that wants to hear of all ends. */
  const listen = () =>
    db.pool.query(
      `INSERT INTO notification_targets (id, user_id, kind, name, address, events)
       VALUES (gen_random_uuid(), $1, 'email', 'mail', 'a', '{job.completed,job.failed,job.cancelled}')`,
      [ada.id],
    )
  const messages = async () =>
    (
      await db.pool.query(
        'SELECT event, data, target_id IS NULL AS "isUrl" FROM notification_deliveries ORDER BY event',
      )
    ).rows

  it('a group sends one message at its end, and its members send none', async () => {
    await listen()
    const { group } = await create({
      ...sweep,
      parallel: 6,
      name: 'base',
      notify_url: 'https://example.org/done',
    })
    await release()
    await end(group.group_id, [0, 1, 2, 3, 4])
    await end(group.group_id, [5], 'failed')
    await release()
    await release()
    const data = {
      group_id: group.group_id,
      name: 'base',
      status: 'failed',
      members: 6,
      counts: { completed: 5, failed: 1 },
    }
    const sent = await messages()
    expect(sent).toMatchObject([
      { event: 'group.failed', data },
      { event: 'group.failed', data },
    ])
    expect(sent.map(({ isUrl }) => isUrl).toSorted()).toEqual([false, true])
  })
})

describe('the token of a submission', () => {
  it('a job, a group and its members name the token with which they were submitted, and nothing for a session', async () => {
    const { token, tokenId } = await makeToken(ada)
    const headers = { authorization: `Bearer ${token}` }
    const submittedWith = { token_id: tokenId, name: 'of a test' }
    const { group } = await create(sweep, ada, headers)
    expect(group.submitted_with).toEqual(submittedWith)
    await release()
    const members = (await jobsOf(group.group_id)).map(({ id }) => id)
    const single = String((await uploadJob(ada, {}, 'wait=false', headers)).body.job_id)
    const withKey = String(
      (await uploadJob(ada, {}, 'wait=false', { ...headers, 'idempotency-key': 'key-1' })).body.job_id,
    )
    expect(members).toHaveLength(2)
    for (const id of [...members, single, withKey])
      expect((await readJob(ada.actor, id)).submitted_with).toEqual(submittedWith)
    const again = String((await uploadJob(ada)).body.job_id)
    expect((await readJob(ada.actor, again)).submitted_with).toBeNull()
    await db.pool.query('DELETE FROM api_tokens WHERE id = $1', [tokenId])
    expect((await readJob(ada.actor, single)).submitted_with).toBeNull()
    expect((await read(group.group_id)).submitted_with).toBeNull()
  })
})

describe('the failed members of a group that run again', () => {
  const rerun = (id: string, person = ada) =>
    call(groupRoutes.rerunFailed, '/api/groups/x/rerun-failed', {
      method: 'POST',
      cookie: person.cookie,
      params: { id },
    })

  /** A group that has ended: members 0 and 1 failed, 2 completed, 3 was cancelled by its user, 4 and 5 completed. */
  async function endedGroup(config: object = {}): Promise<string> {
    const { group } = await create({ ...sweep, parallel: 6, ...config })
    await release()
    await end(group.group_id, [0, 1], 'failed', { loss: 0.1 })
    await end(group.group_id, [2, 4, 5], 'completed', { loss: 0.5 })
    await db.pool.query(
      `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now()
        WHERE group_id = $1 AND status = 'pending'`,
      [group.group_id],
    )
    await release()
    expect((await read(group.group_id)).status).toBe('failed')
    return group.group_id
  }

  it('only those that failed get a new job, the group ends again, and its numbers are those of the new jobs', async () => {
    const id = await endedGroup({ objective: { metric: 'loss', mode: 'min' } })
    const before = await membersOf(id)
    expect(await rerun(id)).toMatchObject({
      status: 200,
      body: { status: 'running', ended_at: null, counts: { held: 2, completed: 3, failed: 0, cancelled: 1 } },
    })
    const held = await membersOf(id)
    expect(held.map(({ status }) => status)).toEqual([
      'held',
      'held',
      'completed',
      'cancelled',
      'completed',
      'completed',
    ])
    expect(held.map(({ job_id }, at) => job_id === before[at]?.job_id)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ])
    await release()
    expect((await jobsOf(id)).filter(({ status }) => status === 'pending').map(({ index }) => index)).toEqual(
      [0, 1],
    )
    await end(id, [0], 'completed', { loss: 0.2 })
    await end(id, [1], 'failed')
    await release()
    expect(await read(id)).toMatchObject({
      status: 'failed',
      counts: { held: 0, completed: 4, failed: 1, cancelled: 1 },
      best: { index: 0, job_id: held[0]?.job_id, objective: 0.2 },
    })
    await rerun(id)
    await release()
    await end(id, [1], 'completed')
    await release()
    expect(await read(id)).toMatchObject({ status: 'completed', counts: { completed: 5, failed: 0 } })
  })

  it('the page of a failed job leads to the job that replaced it, and that one back', async () => {
    const id = await endedGroup()
    const before = await membersOf(id)
    await rerun(id)
    await release()
    const after = await membersOf(id)
    for (const job of [before[1]?.job_id, after[1]?.job_id]) {
      const answer = await call(groupRoutes.ofJob, '/api/jobs/x/group', {
        cookie: ada.cookie,
        params: { id: job ?? '' },
      })
      expect(groupOfJobSchema.parse(answer.body)).toMatchObject({
        member: { index: 1, job_id: after[1]?.job_id },
        failed_jobs: [before[1]?.job_id],
      })
    }
  })

  it('repeated and concurrent calls start no member twice', async () => {
    const id = await endedGroup()
    await Promise.all([rerun(id), release(), rerun(id), release(), rerun(id)])
    await release()
    const { rows } = await db.pool.query(
      `SELECT count(*)::int AS jobs, count(*) FILTER (WHERE status = 'pending')::int AS pending FROM jobs WHERE group_id = $1`,
      [id],
    )
    expect(rows).toEqual([{ jobs: 8, pending: 2 }])
    expect(await read(id)).toMatchObject({ counts: { held: 0, pending: 2, failed: 0 } })
  })

  it('members that fail while others are held run again with these', async () => {
    const { group } = await create({ ...sweep, parallel: 1 })
    const id = group.group_id
    await release()
    await end(id, [0], 'failed')
    await rerun(id)
    expect(await read(id)).toMatchObject({ counts: { held: 6, failed: 0 } })
    await release()
    expect((await jobsOf(id)).filter(({ status }) => status === 'pending')).toMatchObject([{ index: 0 }])
  })

  it('a member that runs again is compared again from its first step', async () => {
    const id = await endedGroup({
      objective: { metric: 'loss', mode: 'min' },
      stop: { rule: 'asha', min_step: 1 },
    })
    await db.pool.query(
      `INSERT INTO group_rungs (group_id, index, rung, step, value, best, average)
       SELECT $1, index, 0, 1, 1, 1, 1 FROM generate_series(0, 5) AS index`,
      [id],
    )
    await db.pool.query('UPDATE group_members SET curve_read = true')
    await rerun(id)
    const { rows } = await db.pool.query(
      `SELECT m.index FROM group_members m LEFT JOIN group_rungs r ON r.group_id = m.group_id AND r.index = m.index
        WHERE r.index IS NULL AND NOT m.curve_read ORDER BY 1`,
    )
    expect(rows).toEqual([{ index: 0 }, { index: 1 }])
  })

  it('a group without failed members stays as it is, and a cancelled one is refused', async () => {
    const { group } = await create({ matrix: { lr: [1] } })
    await release()
    await end(group.group_id, [0])
    await release()
    expect(await rerun(group.group_id)).toMatchObject({ status: 200, body: { status: 'completed' } })
    const cancelled = await create(sweep)
    await cancel(cancelled.group.group_id)
    expect(await rerun(cancelled.group.group_id)).toMatchObject({
      status: 409,
      body: { detail: 'The group was cancelled, so it starts no members. Submit it again.' },
    })
  })

  it('nobody but its user and admins runs members again', async () => {
    const id = await endedGroup()
    expect((await rerun(id, bob)).status).toBe(404)
    expect((await rerun(id, admin)).status).toBe(200)
    await release()
    const { rows } = await db.pool.query('SELECT DISTINCT user_id FROM jobs WHERE group_id = $1', [id])
    expect(rows).toEqual([{ user_id: ada.id }])
  })

  it('the program of members that run again is that of their jobs; without it nothing changes', async () => {
    const id = await endedGroup()
    const failed = (await membersOf(id)).slice(0, 2)
    // As after an upload whose jobs have all entered the queue.
    await db.pool.query(
      `WITH program AS (INSERT INTO programs (hash, content) VALUES (sha256('print(2)'), 'print(2)') RETURNING hash)
       UPDATE jobs SET command = NULL, program_hash = hash FROM program WHERE group_id = $1`,
      [id],
    )
    await db.pool.query('UPDATE job_groups SET command = NULL WHERE id = $1', [id])
    for (const { job_id } of failed) await deleteJobFiles(ada.actor, job_id)
    expect((await rerun(id)).status).toBe(200)
    await release()
    for (const { job_id } of (await membersOf(id)).slice(0, 2))
      expect((await readSource(ada.actor, job_id)).code).toBe('print(2)')
    await end(id, [0, 1], 'failed')
    await release()
    for (const { id: job } of await jobsOf(id)) await deleteJobFiles(ada.actor, job).catch(() => {})
    await db.pool.query(`UPDATE jobs SET program_hash = NULL, files_deleted = 'on_request'`)
    expect(await rerun(id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/^The program of the group was deleted/) },
    })
    expect(await read(id)).toMatchObject({ status: 'failed', counts: { failed: 2, held: 0 } })
  })
})

describe('a group that is extended', () => {
  const extend = (id: string, body: object, person = ada) =>
    call(groupRoutes.extend, '/api/groups/x/extend', {
      method: 'POST',
      body,
      cookie: person.cookie,
      params: { id },
    })
  const random = {
    matrix: { lr: { uniform: [0, 1] } },
    search: 'random',
    samples: 3,
    seed: 4,
    parallel: 10,
  }

  it('more samples follow those that it has, which stay, and the group ends again', async () => {
    const { group } = await create(random)
    const id = group.group_id
    await release()
    await end(id, [0, 1, 2])
    await release()
    const before = await membersOf(id)
    expect(await extend(id, { samples: 5 })).toMatchObject({
      status: 200,
      body: { status: 'running', members: 5, samples: 5, counts: { held: 2, completed: 3 } },
    })
    // The same request again adds nothing.
    expect((await extend(id, { samples: 5 })).body).toMatchObject({ members: 5 })
    await release()
    const after = await membersOf(id)
    expect(after.slice(0, 3)).toEqual(before)
    expect(after.slice(3).map(({ index, status }) => [index, status])).toEqual([
      [3, 'pending'],
      [4, 'pending'],
    ])
    expect(new Set(after.map(({ parameters }) => parameters.lr)).size).toBe(5)
    const { group: whole } = await create({ ...random, samples: 5 })
    const parameters = (await membersOf(whole.group_id)).map((member) => member.parameters)
    expect(after.map((member) => member.parameters)).toEqual(parameters)
    await end(id, [3, 4])
    await release()
    expect(await read(id)).toMatchObject({ status: 'completed', counts: { completed: 5 } })
  })

  it('more repeats run each combination more often, also of a grid', async () => {
    const { group } = await create({ ...sweep, matrix: { lr: [1, 2] }, parallel: 10 })
    const { body } = await extend(group.group_id, { repeat: 3 })
    expect(body).toMatchObject({ members: 6, repeat: 3 })
    const members = await membersOf(group.group_id)
    expect(members.map(({ parameters, repeat }) => `${parameters.lr}/${repeat}`)).toEqual([
      '1/0',
      '2/0',
      '1/1',
      '1/2',
      '2/1',
      '2/2',
    ])
  })

  it.each([
    ['samples of a grid', sweep, { samples: 9 }, /samples: is for a random search.*its matrix: submit/],
    ['samples of an array', { array: '0-3' }, { samples: 9 }, /the numbers of its array: submit/],
    ['fewer samples', random, { samples: 2 }, /samples: is less than the 3 that the group has/],
    ['nothing', random, {}, /samples: is missing/],
    ['too many members', random, { samples: 10_000, repeat: 2 }, /repeat: makes 20,000 members/],
  ])('%s are refused with the key, and nothing changes', async (_, config, body, words) => {
    const { group } = await create(config)
    const answer = await extend(group.group_id, body)
    expect(answer.status).toBe(422)
    expect((answer.body as { detail: string }).detail).toMatch(words)
    expect(await read(group.group_id)).toEqual({ ...group, hints: undefined })
  })

  it('added members count to the storage of their user', async () => {
    const { group } = await create(random)
    const bytes = async () => {
      const { rows } = await db.pool.query(
        `SELECT (SELECT record_bytes::int FROM job_groups WHERE id = $1) AS kept,
                (SELECT sum(bytes)::int FROM storage_changes WHERE kind = 'records' AND user_id = $2) AS counted`,
        [group.group_id, ada.id],
      )
      return rows[0]
    }
    const before = await bytes()
    await extend(group.group_id, { samples: 100 })
    const after = await bytes()
    expect(after.kept - before.kept).toBeGreaterThan(97 * 200)
    // The audit event is counted too.
    expect(after.counted - before.counted).toBeGreaterThanOrEqual(after.kept - before.kept)
  })

  it('concurrent requests add each member once', async () => {
    const { group } = await create(random)
    await Promise.all([
      extend(group.group_id, { samples: 8 }),
      release(),
      extend(group.group_id, { samples: 8 }),
      extend(group.group_id, { samples: 6 }),
    ])
    const members = await membersOf(group.group_id)
    expect(members.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })
})
