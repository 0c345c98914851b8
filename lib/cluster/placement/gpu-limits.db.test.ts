import { uuidv7 } from 'uuidv7'
import { beforeEach, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { oneGpu } from '../../scheduling/testing/rows'
import { finishTask } from '../tasks/finish-task'
import { unfinishedTasks } from '../tasks/tasks'
import { placeManually } from '../testing/placed'
import { publishLongLived } from '../testing/publish-long-lived'
import { jobState, makeJob, makeNode, makeUser } from '../testing/rows'
import { builtinForecaster } from './builtin-forecaster'
import { commitPlacement } from './place'
import { takeSnapshot } from './snapshot'

const db = testDatabase()
let ada: string

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, next_in_line CASCADE')
  await db.pool.query("UPDATE role_limits SET job_limits = '{}'")
  ada = await makeUser('ada')
})

const setLimit = (table: 'users' | 'projects' | 'role_limits', gpus: number, where = 'true') =>
  db.pool.query(
    `UPDATE ${table} SET job_limits = jsonb_build_object('max_concurrent_gpus', $1::float8) WHERE ${where}`,
    [gpus],
  )
const adaJob = (gpu_count = 1, project?: string) =>
  makeJob({ userId: ada, spec: { gpu_count }, ...(project && { project }) })

/** A token for an agent that may use so many GPUs at once. */
async function makeToken(maxGpus: number): Promise<string> {
  const id = uuidv7()
  await db.pool.query(
    `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes, created_by_id, expires_at, limits)
     VALUES ($1, $2, 'night', sha256(random()::text::bytea), 'hint', '{submit,read}', $2, now() + interval '1 day', jsonb_build_object('max_gpus', $3::float8))`,
    [id, ada, maxGpus],
  )
  return id
}

async function tokenJob(tokenId: string, gpu_count = 1, project?: string): Promise<string> {
  const id = await adaJob(gpu_count, project)
  await db.pool.query('UPDATE jobs SET token_id = $2 WHERE id = $1', [id, tokenId])
  return id
}

async function planNow() {
  return plan((await takeSnapshot()).snapshot)
}

/** The jobs that a pass would start now, and the reasons of the others. */
async function decided(): Promise<{ starts: string[]; waits: Record<string, string> }> {
  const { placements, waiting } = await planNow()
  return {
    starts: placements.map(({ jobId }) => jobId),
    waits: Object.fromEntries(waiting.map(({ jobId, reason, detail }) => [jobId, `${reason} ${detail}`])),
  }
}

async function heldByAda(): Promise<number> {
  const { rows } = await db.pool.query<{ held: number }>(
    `SELECT coalesce(sum(a.milli), 0)::int AS held FROM allocations a JOIN tasks t ON t.id = a.task_id JOIN jobs j ON j.id = t.job_id
      WHERE a.released_at IS NULL AND j.user_id = $1`,
    [ada],
  )
  return rows[0]?.held ?? 0
}

it('a job above the limit of its user waits with the GPUs that the user holds, and other users go on', async () => {
  const { nodeId } = await makeNode({ gpus: 4 })
  await setLimit('role_limits', 1.5)
  await placeManually(nodeId, await adaJob(1, 'other'))
  const [second, third] = [await adaJob(), await makeJob()]
  expect(await decided()).toEqual({
    starts: [third],
    waits: { [second]: 'max_concurrent_gpus They hold 1 of 1.5 GPUs, and the job asks for 1.' },
  })
})

it("the user's limit counts before the project's, and the project's before the role's", async () => {
  const { nodeId } = await makeNode({ gpus: 4 })
  await placeManually(nodeId, await adaJob())
  const job = await adaJob()
  const starts = async () => (await decided()).starts.includes(job)
  await setLimit('role_limits', 1)
  expect(await starts()).toBe(false)
  await setLimit('projects', 2)
  expect(await starts()).toBe(true)
  await setLimit('users', 1)
  expect(await starts()).toBe(false)
})

it('a job above the limit of its token waits until GPUs of the token are free, and other jobs of its user go on', async () => {
  const lease = await makeNode({ gpus: 8 })
  const token = await makeToken(4)
  await placeManually(lease.nodeId, await tokenJob(token, 3, 'other'), { indices: [0, 1, 2] })
  const [second, third] = [await tokenJob(token, 2), await adaJob(2)]
  expect(await decided()).toEqual({
    starts: [third],
    waits: {
      [second]: 'token_max_gpus The token "night" may use 4 GPUs at once. It uses 3, and the job asks for 2.',
    },
  })
  const [task] = await unfinishedTasks(lease)
  if (!task) throw new Error('No task is running.')
  await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
  expect((await decided()).starts).toContain(second)
})

it('the forecast of a new job counts the GPUs that its token uses', async () => {
  const { nodeId } = await makeNode({ gpus: 4 })
  const token = await makeToken(1)
  await placeManually(nodeId, await tokenJob(token))
  const [{ projectId } = { projectId: '' }] = (
    await db.pool.query<{ projectId: string }>('SELECT project_id AS "projectId" FROM jobs')
  ).rows
  const startOf = async (tokenId: string | null) => {
    const facts = { id: uuidv7(), userId: ada, projectId, name: null, contentHash: null }
    const job = { ...facts, tokenId, priority: 0, request: oneGpu, estimateMs: 60_000, limitMs: 60_000 }
    const { expectedStart } = await builtinForecaster.forecastNew({ ...job, createdAt: new Date() })
    return expectedStart?.getTime() ?? 0
  }
  expect(await startOf(token)).toBeGreaterThan(await startOf(null))
})

it.each(['users', 'projects', 'api_tokens'] as const)(
  'plans made from the same state never exceed the limit of %s',
  async (owner) => {
    await makeNode({ gpus: 8 })
    const token = await makeToken(100)
    const jobs = await Promise.all(Array.from({ length: 8 }, () => tokenJob(token)))
    const { placements } = await planNow()
    expect(placements).toHaveLength(jobs.length)
    // The limit is set after the plan, as if other jobs of the owner had started since then.
    if (owner === 'users') await setLimit('users', 3)
    else if (owner === 'api_tokens') await db.pool.query(`UPDATE api_tokens SET limits = '{"max_gpus": 3}'`)
    else await db.pool.query('UPDATE projects SET gpu_quota_milli = 3000')
    const commits = await Promise.all(placements.map(commitPlacement))
    expect(commits.filter(({ ok }) => ok)).toHaveLength(3)
    expect(commits.filter((commit) => !commit.ok && commit.dimension === 'limit')).toHaveLength(5)
    expect(await heldByAda()).toBe(3000)
  },
)

it.each(['user', 'token'])('the end of a job starts no job above the limit of its %s', async (owner) => {
  const lease = await makeNode({ gpus: 2 })
  await placeManually(lease.nodeId, await makeJob(), { indices: [0] })
  const token = await makeToken(owner === 'token' ? 1 : 100)
  await placeManually(lease.nodeId, await tokenJob(token), { indices: [1] })
  const [task] = await unfinishedTasks(lease)
  const next = await tokenJob(token)
  if (owner === 'user') await setLimit('users', 1)
  // A list of an earlier pass, when the owner held no GPU.
  await publishLongLived([next])
  if (!task) throw new Error('No task is running.')
  await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
  expect(await jobState(next)).toMatchObject({ status: 'pending' })
})
