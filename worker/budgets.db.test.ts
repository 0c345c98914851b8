import { createHash, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { configSchema } from '@/lib/contract/config/schema'
import type { GpuqError } from '@/lib/contract/errors'
import { accept } from '@/lib/jobs/submission/accept'
import { actorOf, cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { endless, short } from './testing/scripts'
import { expectAllTrue } from './testing/truth'

it('50 parallel submissions and two leaders, against a budget of which a second is left: what runs is stopped, and no other starts', async () => {
  const lab = await FakeLab.open()
  lab.startWorker({ node: 'a', gpus: 4 })
  lab.startLeader()
  const first = await lab.submit(short)
  await lab.jobs.untilFinal(first)
  const actor = {
    ...(await actorOf(lab, first)),
    limits: { submissionsPerMinute: 1000, maxActiveJobs: 100 },
  }
  const { pool } = lab.database
  await pool.query("UPDATE allocations SET created_at = released_at - interval '3599 seconds'")
  await pool.query(`UPDATE users SET gpu_hour_budget = 1.00, budget_when_used_up = 'stop' WHERE id = $1`, [
    actor.userId,
  ])
  const config = configSchema.parse({ competition_id: 'c', project_id: 'project', expected_time: 10 })
  const submit = () =>
    accept(actor, {
      code: Buffer.from(lab.codeOf(endless)),
      runId: null,
      config: { ...config, gpusChosen: false },
      bodyHash: createHash('sha256').update(randomUUID()).digest(),
      idempotencyKey: null,
    })
  const answers = await lab.inDatabase(() => Promise.allSettled(Array.from({ length: 50 }, submit)))
  for (const answer of answers) {
    if (answer.status === 'rejected')
      expect(answer.reason).toMatchObject({ code: 'quota_exceeded' } satisfies Partial<GpuqError>)
  }
  const read = async () => {
    const { rows } = await pool.query<{ id: string; status: string; reason: string | null; attempt: number }>(
      'SELECT id, status, reason, attempt FROM jobs WHERE user_id = $1 AND id <> $2',
      [actor.userId, first],
    )
    return rows
  }
  await lab.jobs.until('jobs were stopped and none runs', async () => {
    const jobs = await read()
    return (
      jobs.some(({ reason }) => reason === 'budget_used_up') &&
      jobs.every(
        ({ status, reason }) => status === 'cancelled' || (status === 'pending' && reason === 'budget'),
      )
    )
  })
  // A job of another user starts and ends meanwhile.
  await lab.jobs.untilFinal(await lab.submit(short))
  const jobs = await read()
  for (const { id, ...job } of jobs) {
    expect(job).toMatchObject(
      job.status === 'pending'
        ? { reason: 'budget', attempt: 0 }
        : { status: 'cancelled', reason: 'budget_used_up', attempt: 1 },
    )
    if (job.status === 'pending') await cancel(lab, id)
  }
  await expectAllTrue(lab)
})
