import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { Actor } from '../access/actor'
import { call, readPages } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { makeJob } from '../cluster/testing/rows'
import { agentLimitsSchema } from '../contract/access/restriction'
import { testDatabase } from '../database/testing/test-database'
import { listGroups, readGroup } from '../groups/groups'
import { releaseMembers } from '../groups/release-members'
import { groupRoutes } from '../groups/routes'
import { readJob } from '../jobs/read/read'
import { queueRoutes } from '../routes/queue/queue'
import { upload } from '../routes/testing/upload'
import { experimentPlaceSchema, experimentSchema } from './contract'
import { listExperiments, readPlace as readPlaceOf } from './experiments'
import { experimentRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  // The first job creates an environment.
  await makeJob()
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE job_groups, jobs, active_job_changes CASCADE')
  await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 100')
})

/** Submits a job. Keys of its config are given as they are written. */
async function submit(keys: Record<string, string> = {}, person = ada) {
  const config = Object.entries(keys).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const { status, body } = await upload(person, { config: config.join('\n') })
  return { status, id: String(body.job_id), detail: String(body.detail) }
}

async function createGroup(keys: object = {}, person = ada) {
  const config = {
    competition_id: 'c',
    project_id: 'p',
    expected_time: 10,
    command: 'echo {n}',
    matrix: { n: [1, 2] },
  }
  const answer = await call(groupRoutes.create, '/api/groups', {
    method: 'POST',
    body: { config: { ...config, ...keys } },
    cookie: person.cookie,
  })
  const body = answer.body as { group_id: string; detail: string }
  return { status: answer.status, id: body.group_id, detail: body.detail, body }
}

async function list(query = '', person = ada) {
  const answer = await call(experimentRoutes.list, `/api/experiments${query}`, { cookie: person.cookie })
  return experimentSchema.array().parse(answer.body)
}

const readPlace = (id: string, person = ada) =>
  call(experimentRoutes.get, `/api/experiments/${id}`, { cookie: person.cookie, params: { id } })
/** As the leader does after each change of the queue. */
async function release() {
  while (await releaseMembers());
}

const placeOf = async (id: string) => experimentPlaceSchema.parse((await readPlace(id)).body)

it('jobs and groups that follow others are a tree, and what they follow is in it too', async () => {
  const root = await submit({ name: 'baseline', note: 'As in the paper.' })
  const child = await submit({ name: 'warm-up', parent: root.id.toUpperCase(), hypothesis: 'It helps.' })
  const group = await createGroup({
    parent: child.id,
    hypothesis: 'The best lr is small.',
    note: 'first\nsecond',
  })
  const idea = await submit({ hypothesis: 'Alone.' })
  await submit({ name: 'an ordinary job' })
  const items = await list()
  expect(items.map(({ id, kind, parent, followers }) => ({ id, kind, parent, followers }))).toEqual([
    { id: idea.id, kind: 'job', parent: null, followers: 0 },
    { id: group.id, kind: 'group', parent: child.id, followers: 0 },
    { id: child.id, kind: 'job', parent: root.id, followers: 1 },
    { id: root.id, kind: 'job', parent: null, followers: 1 },
  ])
  expect(items[1]).toMatchObject({
    status: 'running',
    note: 'first\nsecond',
    hypothesis: 'The best lr is small.',
  })
  expect(items[3]).toMatchObject({
    name: 'baseline',
    status: 'pending',
    note: 'As in the paper.',
    compared_job: root.id,
  })
  expect(group.body).toMatchObject({
    parent: child.id,
    note: 'first\nsecond',
    hypothesis: 'The best lr is small.',
  })
  expect(await readJob(ada.actor, child.id)).toMatchObject({
    parent: root.id,
    hypothesis: 'It helps.',
    note: null,
  })
  expect(await placeOf(child.id)).toMatchObject({
    follows: { id: root.id },
    followed_by: [{ id: group.id }],
    followers: 1,
    parent_deleted: false,
  })
})

it('members of a group follow nothing: the group does', async () => {
  const root = await submit()
  const group = await createGroup({ parent: root.id, hypothesis: 'a', note: 'n' })
  await release()
  const { rows } = await db.pool.query<{ note: string | null; says: boolean }>(
    "SELECT note, spec ?| '{parent,hypothesis,note}' AS says FROM jobs WHERE group_id = $1",
    [group.id],
  )
  expect(rows).toEqual([
    { note: null, says: false },
    { note: null, says: false },
  ])
  expect(await list()).toHaveLength(2)
})

it('members of a wave follow their own parents, or the wave', async () => {
  const root = await submit()
  const wave = await createGroup({
    matrix: undefined,
    command: 'true',
    members: [
      { hypothesis: 'of the wave' },
      { hypothesis: 'of the root', parent: root.id },
      { name: 'none' },
    ],
  })
  expect(wave.status).toBe(201)
  await release()
  const items = await list()
  const parents = Object.fromEntries(items.map(({ hypothesis, parent }) => [hypothesis, parent]))
  expect(parents['of the wave']).toBe(wave.id)
  expect(parents['of the root']).toBe(root.id)
  expect(items).toHaveLength(4)
})

it('members of a wave are below it in the tree, and on its page only others follow it', async () => {
  const wave = await createGroup({
    matrix: undefined,
    command: 'true',
    members: [{ hypothesis: 'a' }, { hypothesis: 'b' }],
  })
  await release()
  const follower = await submit({ parent: wave.id })
  expect((await list()).find(({ id }) => id === wave.id)).toMatchObject({ followers: 3 })
  expect(await placeOf(wave.id)).toMatchObject({ followed_by: [{ id: follower.id }], followers: 1 })
  expect(await readGroup(ada.actor, wave.id)).toMatchObject({ followers: 1 })
})

it('a group shows the objective of its best member, which is the job to compare', async () => {
  const group = await createGroup({ hypothesis: 'a', objective: { metric: 'loss', mode: 'min' } })
  await release()
  await db.pool.query(
    `UPDATE jobs j SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now(), result_stored = true,
            final_metrics = jsonb_build_object('loss', 5 - m.index)
       FROM group_members m WHERE m.job_id = j.id AND m.group_id = $1`,
    [group.id],
  )
  const { rows } = await db.pool.query<{ job_id: string }>(
    'SELECT job_id FROM group_members WHERE group_id = $1 ORDER BY index DESC LIMIT 1',
    [group.id],
  )
  expect(await list()).toMatchObject([{ id: group.id, compared_job: rows[0]?.job_id, metrics: { loss: 4 } }])
})

it('a wave shows its best member also if that is the job of an earlier wave', async () => {
  const wave = (keys: object) =>
    createGroup({
      matrix: undefined,
      command: 'echo',
      objective: { metric: 'loss', mode: 'min' },
      members: [{ idempotency_key: 'k' }],
      ...keys,
    })
  await wave({})
  await release()
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now(), result_stored = true, final_metrics = '{"loss": 2}'`,
  )
  const later = await wave({ hypothesis: 'a' })
  expect(await list()).toMatchObject([
    { id: later.id, compared_job: expect.any(String), metrics: { loss: 2 } },
  ])
})

it('a parent that does not exist and one that is foreign get the same answer, which names the key', async () => {
  const foreign = await submit({}, bob)
  const unknown = '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61'
  for (const parent of [foreign.id, unknown]) {
    const message = `there is no job or group ${parent} of yours in this project: name one of them, or remove parent`
    for (const { status, detail } of [await submit({ parent }), await createGroup({ parent })]) {
      expect(status).toBe(422)
      expect(detail).toContain(`parent: ${message}`)
    }
  }
  for (const parent of ['mine', '']) {
    const { status, detail } = await submit({ parent })
    expect(status).toBe(422)
    expect(detail).toContain('parent: ')
  }
  expect((await submit({ hypothesis: 'x'.repeat(501) })).detail).toContain('hypothesis: must be at most 500')
  expect((await submit({ hypothesis: 'a\u202eb' })).detail).toContain('hypothesis: must be one line')
  expect((await submit({ note: 'x'.repeat(4001) })).detail).toContain('note: must be at most 4000')
  expect(await list()).toEqual([])
})

it('an experiment follows only one of its own project', async () => {
  const elsewhere = await makeJob({ userId: ada.id, project: 'another' })
  expect(await submit({ parent: elsewhere })).toMatchObject({ status: 422 })
})

it('an experiment whose parent was deleted stays, as a root that says so', async () => {
  const root = await submit()
  const child = await submit({ parent: root.id, hypothesis: 'kept' })
  const grandchild = await submit({ parent: child.id })
  await db.pool.query('DELETE FROM jobs WHERE id = $1', [root.id])
  expect(await list()).toMatchObject([
    { id: grandchild.id, parent: child.id, parent_deleted: false },
    { id: child.id, parent: null, parent_deleted: true, hypothesis: 'kept', followers: 1 },
  ])
  expect(await placeOf(child.id)).toMatchObject({ follows: null, parent_deleted: true })
  const again = await submit({ parent: root.id })
  expect(again.status).toBe(422)
})

it('a circle of experiments cannot be submitted, and one in the database stops nothing', async () => {
  const first = await submit({ hypothesis: 'first' })
  const second = await submit({ parent: first.id })
  const close = (parent: string) =>
    db.pool.query('UPDATE experiments SET parent_id = $2 WHERE id = $1', [first.id, parent])
  await expect(close(first.id)).rejects.toThrow('experiments_parent_check')
  await close(second.id)
  expect(await list()).toHaveLength(2)
  expect(await placeOf(first.id)).toMatchObject({
    follows: { id: second.id },
    followed_by: [{ id: second.id }],
  })
})

it('the experiments of other users are not listed, and their ids are as unknown ones', async () => {
  const root = await submit()
  await submit({ parent: root.id })
  expect(await list('', bob)).toEqual([])
  expect(await list('?project_id=p', bob)).toEqual([])
  const unknown = await readPlace('01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61', bob)
  const foreign = await readPlace(root.id, bob)
  expect(foreign).toMatchObject({ status: 404, body: unknown.body })
  expect(await readPlace('no-id')).toMatchObject({ status: 404 })
  expect(await list('?project_id=p')).toHaveLength(2)
})

it('the queue API and the tools for agents take the keys too', async () => {
  const root = await submit()
  const { token } = await makeToken(ada)
  const given = {
    project_id: 'p',
    command: 'true',
    parent: root.id,
    hypothesis: 'from the queue',
    note: 'why',
  }
  const { status, body } = await call(queueRoutes.submit, '/api/queue', {
    method: 'POST',
    token,
    body: given,
  })
  expect(status).toBe(201)
  const { job_id } = z.object({ job_id: z.uuid() }).parse(body)
  expect((await list())[0]?.submitted_with).toMatchObject({ name: 'of a test' })
  expect(await readJob(ada.actor, job_id)).toMatchObject({
    parent: root.id,
    hypothesis: 'from the queue',
    note: 'why',
  })
})

it('the token of an agent counts only the followers that it submitted, everywhere', async () => {
  const { actor, tokenId } = await makeToken(ada)
  const limits = { ...agentLimitsSchema.parse({}), projects: null }
  const agent: Actor = { ...actor, restriction: { projects: null, agent: { tokenId, limits } } }
  const root = await submit({ hypothesis: 'root' })
  const group = await createGroup({ parent: root.id })
  const own = await submit({ parent: root.id })
  await submit({ parent: root.id })
  await submit({ parent: group.id })
  await db.pool.query('UPDATE jobs SET token_id = $1 WHERE id = ANY ($2::uuid[])', [
    tokenId,
    [root.id, own.id],
  ])
  await db.pool.query('UPDATE job_groups SET token_id = $1 WHERE id = $2', [tokenId, group.id])
  const seen = async (reader: Actor) => {
    const { items } = await listExperiments(reader, { limit: 10 })
    const followers = (id: string) => items.find((one) => one.id === id)?.followers
    return {
      lists: [followers(root.id), followers(group.id)],
      place: (await readPlaceOf(reader, root.id)).followers,
      job: (await readJob(reader, root.id)).followers,
      group: (await readGroup(reader, group.id)).followers,
      groups: (await listGroups(reader, { all: false, limit: 10 })).items.map(
        ({ followers: count }) => count,
      ),
    }
  }
  expect(await seen(ada.actor)).toEqual({ lists: [3, 1], place: 3, job: 3, group: 1, groups: [1] })
  expect(await seen(agent)).toEqual({ lists: [2, 0], place: 2, job: 2, group: 0, groups: [0] })
})

it('pages of a long tree have each experiment once', async () => {
  const root = await makeJob({ userId: ada.id, project: 'p', spec: { hypothesis: 'root' } })
  await db.pool.query(
    `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, command, priority, max_retries, expected_time_s, time_limit_s)
     SELECT gen_random_uuid(), user_id, project_id, environment_id, 'c', jsonb_build_object('parent', $1::text), 'true', 0, 0, 1, 1
       FROM jobs, generate_series(1, 450) WHERE id = $1::uuid`,
    [root],
  )
  const pages = await readPages(experimentRoutes.list, '/api/experiments?limit=200', ada)
  const seen = pages.flat().map((row) => experimentSchema.parse(row).id)
  expect(seen).toHaveLength(451)
  expect(new Set(seen).size).toBe(451)
  expect(await placeOf(root)).toMatchObject({ followers: 450 })
  expect((await placeOf(root)).followed_by).toHaveLength(20)
})
