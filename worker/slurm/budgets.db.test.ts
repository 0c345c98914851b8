import { beforeEach, expect, it, vi } from 'vitest'
import { makePerson, makeToken, type Person } from '@/lib/access/testing/people'
import { enforceBudgets } from '@/lib/budgets/enforce-budgets'
import { claimTasks } from '@/lib/cluster/tasks/tasks'
import { jobState, makeJob, makeNode } from '@/lib/cluster/testing/rows'
import { agentLimitsSchema } from '@/lib/contract/access/restriction'
import { testDatabase } from '@/lib/database/testing/test-database'
import { registerAllEngines } from '@/lib/engines'
import type { SlurmClient, SlurmJobState } from '@/lib/slurm/client/slurm-client'
import { checkIn, hashSecret } from '@/lib/slurm/jobs/check-in'
import { placeSteps } from '@/lib/slurm/jobs/place-steps'
import { insertSlurmJob, readUnsubmitted, recordSlurmId } from '@/lib/slurm/jobs/submissions'
import { pollJobs } from './poll-jobs'
import { commentOf } from './submit-jobs'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_ENGINE', 'slurm')
})
registerAllEngines()
const db = testDatabase()

let ada: Person
/** The jobs that Slurm knows, and the ids that it was told to cancel. */
let [known, cancelled] = [[], []] as [SlurmJobState[], number[]]
beforeEach(async () => {
  await db.pool.query('TRUNCATE job_groups, jobs, nodes, users, used_up_budgets, slurm_jobs CASCADE')
  ada = await makePerson()
  ;[known, cancelled] = [[], []]
})

/** Only what a poll asks of Slurm. */
const client = {
  listJobs: async () => known,
  findEnded: async () => [],
  cancel: async (ids) => {
    cancelled.push(...ids)
  },
} satisfies Partial<SlurmClient>
const poll = () => pollJobs(client as Partial<SlurmClient> as SlurmClient, false, () => {})

async function makeSlurmJob(state: string): Promise<{ job: string; rowId: string; slurmId: number }> {
  const job = await makeJob({ userId: ada.id })
  const rowId = await insertSlurmJob({ jobId: job, secretHash: hashSecret('secret'), nodes: 1, nice: 100 })
  if (rowId === null) throw new Error('The job was not submitted.')
  const slurmId = known.length + 1
  await recordSlurmId(rowId, slurmId)
  const never = { submittedAt: null, startsAt: null, startedAt: null, endedAt: null, limitS: null }
  known.push({
    ...{ id: slurmId, state, reason: null, comment: commentOf(rowId), user: 'gpuq', name: `gpuq-${job}` },
    ...{ partition: 'gpu', nodes: [], gpus: 1, cpus: 1, nice: 100, held: false, restarts: 0, exitCode: null },
    ...never,
  })
  return { job, rowId, slurmId }
}

/** A job that runs in Slurm, one that waits there, and one that is not there yet. */
async function arrange() {
  const lease = await makeNode()
  const running = await makeSlurmJob('RUNNING')
  const step = { gpuIndexes: [0], cpuMilli: 2000, memoryMib: 500, cgroup: null }
  await checkIn(lease.nodeId, {
    ...{ rowId: running.rowId, secret: 'secret', slurmId: running.slurmId, restart: 0, rank: 0 },
    ...step,
  })
  await placeSteps(running.rowId, 0)
  await claimTasks(lease)
  const waiting = await makeSlurmJob('PENDING')
  const unsubmitted = await makeJob({ userId: ada.id })
  await db.pool.query("UPDATE allocations SET created_at = now() - interval '3 hours'")
  return { running, waiting, unsubmitted }
}

it.each(['token', 'group'] as const)(
  'the budget of a %s under Slurm is used up: its running job is stopped, and its waiting ones end, also in Slurm',
  async (kind) => {
    const { running, waiting, unsubmitted } = await arrange()
    const other = await makeSlurmJob('PENDING')
    const ids = [running.job, waiting.job, unsubmitted]
    if (kind === 'token') {
      const { tokenId } = await makeToken(ada)
      const limits = agentLimitsSchema.parse({ gpu_hours: 2 })
      await db.pool.query('UPDATE api_tokens SET limits = $2 WHERE id = $1', [tokenId, limits])
      await db.pool.query('UPDATE jobs SET token_id = $2 WHERE id = ANY ($1)', [ids, tokenId])
    } else {
      const { rows } = await db.pool.query<{ id: string }>(
        `INSERT INTO job_groups (id, user_id, project_id, competition_id, kind, parameters, spec, code, class_token, record_bytes, body_hash, parallel, members, held)
         SELECT gen_random_uuid(), user_id, project_id, 'c', 'sweep', '{}', '{"budget_gpu_hours": 2}', '', false, 0, '', 3, 3, 0 FROM jobs LIMIT 1 RETURNING id`,
      )
      await db.pool.query('UPDATE jobs SET group_id = $2 WHERE id = ANY ($1)', [ids, rows[0]?.id])
    }
    await enforceBudgets()
    const { rows } = await db.pool.query(
      'SELECT cancel_reason FROM jobs WHERE id = $1 AND cancel_requested_at IS NOT NULL',
      [running.job],
    )
    expect(rows).toEqual([{ cancel_reason: 'budget_used_up' }])
    for (const id of [waiting.job, unsubmitted])
      expect(await jobState(id)).toMatchObject({ status: 'cancelled', reason: 'budget_used_up' })
    expect(await readUnsubmitted(10)).toEqual([])
    await poll()
    expect(cancelled).toEqual([waiting.slurmId])
    expect((await jobState(other.job)).status).toBe('pending')
  },
)

it('the budgets of a user and a project under Slurm have no effect: they are limits of Slurm', async () => {
  const { running, waiting, unsubmitted } = await arrange()
  await db.pool.query(`UPDATE users SET gpu_hour_budget = 2, budget_when_used_up = 'stop'`)
  await db.pool.query(`UPDATE projects SET gpu_hour_budget = 2, budget_when_used_up = 'stop'`)
  await enforceBudgets()
  await poll()
  const { rows } = await db.pool.query('SELECT 1 FROM jobs WHERE cancel_requested_at IS NOT NULL')
  expect(rows).toEqual([])
  expect(cancelled).toEqual([])
  expect((await jobState(running.job)).status).toBe('scheduled')
  for (const id of [waiting.job, unsubmitted]) expect((await jobState(id)).status).toBe('pending')
})
