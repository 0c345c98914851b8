import { beforeEach, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { finishTask } from '../tasks/finish-task'
import { unfinishedTasks } from '../tasks/tasks'
import { placeManually } from '../testing/placed'
import { publishLongLived } from '../testing/publish-long-lived'
import { jobState, makeJob, makeNode, makeUser } from '../testing/rows'
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

it.each(['users', 'projects'] as const)(
  'plans made from the same state never exceed the limit of %s',
  async (owner) => {
    await makeNode({ gpus: 8 })
    const jobs = await Promise.all(Array.from({ length: 8 }, () => adaJob()))
    const { placements } = await planNow()
    expect(placements).toHaveLength(jobs.length)
    // The limit is set after the plan, as if other jobs of the user had started since then.
    if (owner === 'users') await setLimit('users', 3)
    else await db.pool.query('UPDATE projects SET gpu_quota_milli = 3000')
    const commits = await Promise.all(placements.map(commitPlacement))
    expect(commits.filter(({ ok }) => ok)).toHaveLength(3)
    expect(commits.filter((commit) => !commit.ok && commit.dimension === 'limit')).toHaveLength(5)
    expect(await heldByAda()).toBe(3000)
  },
)

it('the end of a job starts no job above the limit', async () => {
  const lease = await makeNode({ gpus: 2 })
  await placeManually(lease.nodeId, await makeJob(), { indices: [0] })
  await placeManually(lease.nodeId, await adaJob(), { indices: [1] })
  const [task] = await unfinishedTasks(lease)
  const next = await adaJob()
  await setLimit('users', 1)
  // A list of an earlier pass, when the user held no GPU.
  await publishLongLived([next])
  if (!task) throw new Error('No task is running.')
  await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
  expect(await jobState(next)).toMatchObject({ status: 'pending' })
})
