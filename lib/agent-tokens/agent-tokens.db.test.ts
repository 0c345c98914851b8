import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { createToken } from '../access/tokens/tokens'
import { makeJob } from '../cluster/testing/rows'
import { createTokenSchema } from '../contract/access/access'
import { testDatabase } from '../database/testing/test-database'
import { groupDetailSchema } from '../groups/contract'
import { readGroup } from '../groups/groups'
import { releaseMembers } from '../groups/release-members'
import { groupRoutes } from '../groups/routes'
import { settleDependencies } from '../jobs/dependencies/settle-dependencies'
import { cancelJob } from '../jobs/lifecycle/cancel'
import { readJob } from '../jobs/read/read'
import { setHeld } from '../queue/hold'
import { upload } from '../routes/testing/upload'
import { endApprovals } from './approvals'
import { approvalSchema } from './contract'
import { approvalRoutes, tokenStopRoutes } from './routes'
import { continueStopping } from './stop-token'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[ada, bob, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
  await makeJob()
  await upload(ada)
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE job_groups, jobs, active_job_changes CASCADE')
  await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 1')
  await db.pool.query('UPDATE policies SET max_queue_size = 1')
})

type Who = { token?: string; cookie?: string }

const makeAgent = (limits: object = { ask_above_gpu_hours: 1 }) =>
  createToken(ada.actor, createTokenSchema.parse({ name: 'agent', limits }))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Submits a job of two GPU hours with a token of an agent. */
async function submit(token: string, config = ''): Promise<string> {
  const { status, body } = await upload(
    ada,
    { config: `gpu_count: 2\nmax_time: 1h\n${config}` },
    'wait=false',
    bearer(token),
  )
  expect(status, JSON.stringify(body)).toBe(202)
  return String(body.job_id)
}

/** A group of two members of half an hour with two GPUs each. */
const sweep = {
  config: {
    ...{ competition_id: 'c', project_id: 'p', expected_time: 10, max_time: 1800, gpu_count: 2 },
    ...{ command: 'python t.py {lr}', matrix: { lr: [1, 2] } },
  },
}

async function submitGroup(token: string): Promise<string> {
  const answer = await call(groupRoutes.create, '/api/groups', { method: 'POST', body: sweep, token })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return groupDetailSchema.parse(answer.body).group_id
}

const act = (action: 'approve' | 'refuse', id: string, who: Who) =>
  call(approvalRoutes[action], `/api/approvals/${id}/${action}`, { method: 'POST', ...who, params: { id } })
const list = async (who: Who, query = '') => {
  const { status, body } = await call(approvalRoutes.list, `/api/approvals${query}`, who)
  return status === 200 ? approvalSchema.array().parse(body) : status
}
const stop = (id: string, who: Who) =>
  call(tokenStopRoutes.stop, `/api/tokens/${id}/stop`, { method: 'POST', ...who, params: { id } })
const post = (action: 'extend' | 'rerunFailed', id: string, who: Who, body?: object) =>
  call(groupRoutes[action], '/x', { method: 'POST', ...who, params: { id }, ...(body && { body }) })
const read = (id: string) => readJob(ada.actor, id)
const expire = () => db.pool.query(`UPDATE approval_requests SET created_at = now() - interval '25 hours'`)
const countRequests = async () => (await db.pool.query('SELECT 1 FROM approval_requests')).rowCount

describe('the approval of a job', () => {
  it('a job of an agent that may cost more than its token allows waits until its user approves it', async () => {
    const { token } = await makeAgent()
    const id = await submit(token)
    expect(await read(id)).toMatchObject({ status: 'pending', reason: 'approval_needed' })
    expect((await read(id)).reason_text).toContain('It may cost 2.00 GPU hours.')
    expect(await list(ada)).toMatchObject([
      { id, kind: 'job', gpu_hours: 2, submitted_with: { name: 'agent' }, user_id: ada.handle },
    ])
    expect((await act('approve', id, ada)).status).toBe(204)
    expect(await read(id)).toMatchObject({ status: 'pending', reason: null })
    expect(await list(ada)).toEqual([])
    const { rows } = await db.pool.query('SELECT held FROM jobs')
    expect(rows).toEqual([{ held: false }])
  })

  it('a job of an agent that depends on a group names only groups of the agent, and waits for them after the approval', async () => {
    await db.pool.query('UPDATE policies SET max_queue_size = 10')
    const { token } = await makeAgent()
    const own = await submitGroup(token)
    const ofUser = groupDetailSchema.parse(
      (await call(groupRoutes.create, '/api/groups', { method: 'POST', body: sweep, ...ada })).body,
    ).group_id
    const refused = await upload(ada, { config: `depends_on: any:${ofUser}\n` }, 'wait=false', bearer(token))
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'depends_on' }] } })
    const id = await submit(token, `depends_on: any:${own}\n`)
    expect(await read(id)).toMatchObject({ reason: 'approval_needed' })
    expect((await act('approve', id, ada)).status).toBe(204)
    expect(await read(id)).toMatchObject({
      reason: 'dependency',
      reason_text: `The job waits for other jobs or groups. Waits for group ${own}: 0 of 2 ended.`,
    })
    expect((await act('refuse', own, ada)).status).toBe(204)
    await releaseMembers()
    await settleDependencies()
    expect(await read(id)).toMatchObject({ status: 'pending', reason: null })
  })

  it('a job that cannot cost more than that starts without a question', async () => {
    const { token } = await makeAgent({ ask_above_gpu_hours: 2 })
    expect(await read(await submit(token))).toMatchObject({ reason: null })
    expect(await list(ada)).toEqual([])
  })

  it('the attempts for which retry_on asks count to what a job may cost', async () => {
    const { token } = await makeAgent({ ask_above_gpu_hours: 2 })
    const id = await submit(token, 'max_retries: 1\nretry_on: [1]\n')
    expect((await read(id)).reason_text).toContain('It may cost 4.00 GPU hours.')
  })

  it('a dry run says that a job or a group would wait for an approval, and not when it would start', async () => {
    const { token } = await makeAgent()
    const approval = /A person must approve it before it starts, because it may cost 2 GPU hours\./
    const job = await upload(ada, { config: 'gpu_count: 2\nmax_time: 1h\n' }, 'dry_run=true', bearer(token))
    const group = await call(groupRoutes.create, '/api/groups?dry_run=true', {
      ...{ method: 'POST', token, body: sweep },
    })
    for (const { body } of [job, group]) {
      expect(body).toMatchObject({ text: expect.stringMatching(approval), queue_position: null })
      expect(body).toMatchObject({ text: expect.not.stringMatching(/would (start|be number)/) })
    }
    expect(await countRequests()).toBe(0)
  })

  it('a job that waits for an approval is not active and has no place in the queue', async () => {
    const { token } = await makeAgent()
    await submit(token)
    await submit(token)
    expect((await upload(ada)).status).toBe(202)
    expect((await upload(ada)).status).toBe(429)
  })

  it.each(['approve', 'refuse'] as const)(
    'no agent, no other user and no GET may %s a job; an admin and an ordinary token of its user may',
    async (action) => {
      const { token } = await makeAgent()
      const [first, second] = [await submit(token), await submit(token)]
      expect((await act(action, first, { token })).status).toBe(403)
      expect(await list({ token })).toBe(403)
      expect((await act(action, first, bob)).status).toBe(404)
      expect(await list(bob, '?all=true')).toBe(403)
      expect(approvalRoutes[action].operation.method).toBe('post')
      expect(await read(first)).toMatchObject({ reason: 'approval_needed' })
      const ordinary = await makeToken(ada)
      expect((await act(action, first, { token: ordinary.token })).status).toBe(204)
      expect(await list(admin, '?all=true')).toMatchObject([{ id: second }])
      expect((await act(action, second, admin)).status).toBe(204)
    },
  )

  it('of two approvals at the same moment, one lets the job start and the other one is told so', async () => {
    const { token } = await makeAgent()
    const id = await submit(token)
    const answers = await Promise.all(Array.from({ length: 4 }, () => act('approve', id, ada)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404])
  })

  it('a job that nobody approves in time is refused with the reason, and cannot be approved then', async () => {
    const { token } = await makeAgent()
    const id = await submit(token)
    await expire()
    expect(await list(ada)).toEqual([])
    expect(await act('approve', id, ada)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('nobody approved it within 24 hours') },
    })
    await endApprovals()
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      reason: 'approval_refused',
      reason_text: 'Nobody approved the job. Nobody approved it within 24 hours.',
    })
    expect((await act('approve', id, ada)).status).toBe(404)
  })

  it('a refused job ends with who refused it', async () => {
    const { token } = await makeAgent()
    const id = await submit(token)
    await act('refuse', id, ada)
    expect(await read(id)).toMatchObject({ status: 'cancelled', reason: 'approval_refused' })
    expect((await read(id)).reason_text).toContain(`${ada.handle} refused to approve it.`)
  })

  it('a job that is held and released still waits for its approval', async () => {
    const { token } = await makeAgent()
    const id = await submit(token)
    await setHeld(ada.actor, id, true)
    await setHeld(ada.actor, id, false)
    expect(await read(id)).toMatchObject({ reason: 'approval_needed' })
    await setHeld(ada.actor, id, true)
    expect((await act('approve', id, ada)).status).toBe(204)
    expect(await read(id)).toMatchObject({ reason: 'held' })
    await setHeld(ada.actor, id, false)
    expect(await read(id)).toMatchObject({ reason: null })
  })

  it('a job that is cancelled while it waits for an approval cannot be approved, and its request ends', async () => {
    const { token } = await makeAgent()
    const id = await submit(token)
    await cancelJob(ada.actor, id)
    expect(await list(ada)).toEqual([])
    expect((await act('approve', id, ada)).status).toBe(409)
    await endApprovals()
    expect(await countRequests()).toBe(0)
    expect(await read(id)).toMatchObject({ reason: 'cancelled_by_user' })
  })
})

describe('the approval of a group', () => {
  it('a group puts no member into the queue before a person approves it, as a whole', async () => {
    const { token } = await makeAgent()
    await db.pool.query('UPDATE users SET max_active_jobs = 10')
    await db.pool.query('UPDATE policies SET max_queue_size = 10')
    const id = await submitGroup(token)
    await releaseMembers()
    expect(await readGroup(ada.actor, id)).toMatchObject({
      awaits_approval: true,
      counts: { held: 2, pending: 0 },
    })
    expect((await readGroup(ada.actor, id)).problem).toContain('A person must approve it')
    expect(await list(ada)).toMatchObject([{ id, kind: 'group', gpu_hours: 2 }])
    // What is asked would no longer be what is approved.
    expect((await post('extend', id, ada, { repeat: 2 })).status).toBe(409)
    expect((await act('approve', id, { token })).status).toBe(403)
    expect((await act('approve', id, ada)).status).toBe(204)
    while (await releaseMembers());
    expect(await readGroup(ada.actor, id)).toMatchObject({
      awaits_approval: false,
      problem: null,
      counts: { held: 0, pending: 2 },
    })
    expect(await countRequests()).toBe(0)
  })

  it.each([
    ['refused', async (id: string) => void (await act('refuse', id, ada)), 'refused to approve it.'],
    [
      'not approved in time',
      async () => {
        await expire()
        await endApprovals()
      },
      'Nobody approved it within 24 hours.',
    ],
  ])('a group that is %s ends, and none of its members ever starts', async (_, end, problem) => {
    const { token } = await makeAgent()
    const id = await submitGroup(token)
    await end(id)
    while (await releaseMembers());
    const group = await readGroup(ada.actor, id)
    expect(group).toMatchObject({ status: 'cancelled', counts: { held: 0, cancelled: 2 } })
    expect(group.problem).toContain(problem)
    expect((await db.pool.query('SELECT 1 FROM jobs')).rowCount).toBe(0)
  })

  it('a group that is cancelled while it waits for an approval cannot be approved', async () => {
    const { token } = await makeAgent()
    const id = await submitGroup(token)
    const cancelled = await call(groupRoutes.cancel, '/x', { method: 'POST', token, params: { id } })
    expect(cancelled.status).toBe(200)
    expect((await act('approve', id, ada)).status).not.toBe(204)
    while (await releaseMembers());
    await endApprovals()
    expect(await readGroup(ada.actor, id)).toMatchObject({ status: 'cancelled' })
  })
})

describe('a group of an agent that goes on', () => {
  it('an agent neither extends a group nor runs members again beyond what a person must approve', async () => {
    const { token, token_id } = await makeAgent({ ask_above_gpu_hours: 2 })
    const id = await submitGroup(token)
    await db.pool.query('UPDATE users SET max_active_jobs = 10')
    await db.pool.query('UPDATE policies SET max_queue_size = 10')
    expect(await post('extend', id, { token }, { repeat: 2 })).toMatchObject({
      status: 403,
      body: {
        detail: expect.stringMatching(/^These members may cost 4 GPU hours, which a person must approve/),
      },
    })
    while (await releaseMembers());
    await db.pool.query(
      `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now()`,
    )
    while (await releaseMembers());
    expect(await readGroup(ada.actor, id)).toMatchObject({ status: 'failed', members: 2 })
    await db.pool.query(
      `UPDATE api_tokens SET limits = limits || '{"ask_above_gpu_hours": 1.5}' WHERE id = $1`,
      [token_id],
    )
    expect((await post('rerunFailed', id, { token })).status).toBe(403)
    expect((await post('rerunFailed', id, ada)).status).toBe(200)
    expect((await post('extend', id, ada, { repeat: 2 })).body).toMatchObject({ members: 4 })
  })

  it('a group whose token was stopped stays as it ended', async () => {
    const { token, token_id } = await makeAgent({ ask_above_gpu_hours: 10 })
    const id = await submitGroup(token)
    await db.pool.query('UPDATE users SET max_active_jobs = 10')
    await db.pool.query('UPDATE policies SET max_queue_size = 10')
    while (await releaseMembers());
    await db.pool.query(
      `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 1, ended_at = now()`,
    )
    while (await releaseMembers());
    expect((await stop(token_id, ada)).status).toBe(200)
    expect(await post('rerunFailed', id, ada)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/^The token of the group was stopped/) },
    })
    await continueStopping()
    expect(await readGroup(ada.actor, id)).toMatchObject({ status: 'failed', counts: { failed: 2 } })
  })
})

describe('the stop of a token', () => {
  it('the stop ends the token and all that it submitted, also what waits for an approval, and nothing else', async () => {
    await db.pool.query('UPDATE users SET max_active_jobs = 100')
    await db.pool.query('UPDATE policies SET max_queue_size = 100')
    const { token, token_id } = await makeAgent({ ask_above_gpu_hours: 1.5 })
    const waits = await submit(token)
    const small = await submit(token)
    const group = await submitGroup(token)
    await act('approve', group, ada)
    await releaseMembers()
    const own = String((await upload(ada)).body.job_id)
    expect((await stop(token_id, bob)).status).toBe(404)
    expect((await stop(token_id, { token })).status).toBe(403)
    expect(await stop(token_id, ada)).toMatchObject({ status: 200, body: { jobs: 2, groups: 1 } })
    for (const id of [waits, small])
      expect(await read(id)).toMatchObject({ status: 'cancelled', reason: 'token_stopped' })
    while (await releaseMembers());
    expect(await readGroup(ada.actor, group)).toMatchObject({
      status: 'cancelled',
      problem: 'The token with which it was submitted was stopped.',
    })
    expect(await read(own)).toMatchObject({ status: 'pending' })
    expect((await upload(ada, {}, 'wait=false', bearer(token))).status).toBe(401)
    expect(await stop(token_id, ada)).toMatchObject({ status: 200, body: { jobs: 0, groups: 0 } })
  })

  it('a server that dies after it has stored the stop: the leader cancels the jobs', async () => {
    const { token, token_id } = await makeAgent()
    const [id, group] = [await submit(token), await submitGroup(token)]
    await db.pool.query('UPDATE api_tokens SET revoked_at = now(), stopped_at = now() WHERE id = $1', [
      token_id,
    ])
    await continueStopping()
    expect(await read(id)).toMatchObject({ reason: 'token_stopped' })
    while (await releaseMembers());
    expect(await readGroup(ada.actor, group)).toMatchObject({ status: 'cancelled' })
  })

  it('a token that is only revoked: what it submitted waits on, and a person can still approve it', async () => {
    const { token, token_id } = await makeAgent()
    const id = await submit(token)
    await db.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [token_id])
    expect((await act('approve', id, { token })).status).toBe(401)
    expect((await act('approve', id, ada)).status).toBe(204)
    expect(await read(id)).toMatchObject({ status: 'pending', reason: null })
  })
})
