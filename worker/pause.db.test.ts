import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { EndReason } from '@/lib/contract/reasons'
import type { Script } from './runtime/testing/fake-container'
import { latch } from './runtime/testing/latch'
import { cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { counting, endless, expectCounted } from './testing/scripts'
import { expectAllTrue } from './testing/truth'

/** Says that it was told to stop. */
const untilStopped: Script = async ({ print, catchTermination }) => {
  const told = catchTermination()
  await print('started\n')
  await told
  await print('told to stop\n')
  return 0
}

async function open(script: Script) {
  const lab = await FakeLab.open()
  const worker = lab.startWorker({ node: 'a' })
  const job = await lab.submit(script, { maxRetries: 0, timeLimitS: 3600 })
  return { lab, worker, job }
}

/** Suspends the job in Slurm, as the leader reads it there, and waits until its container is paused. */
async function suspend(lab: FakeLab, job: string): Promise<void> {
  await lab.database.pool.query(
    `INSERT INTO slurm_jobs (id, job_id, secret_hash, slurm_id, state, attempt, attempt_restart)
     VALUES ($1, $2, '', 1, 'SUSPENDED', 1, 0)`,
    [randomUUID(), job],
  )
  await lab.untilContainer(job, 'paused')
}

/** Resumes the job in Slurm. */
async function resume(lab: FakeLab, job: string): Promise<void> {
  await lab.database.pool.query(`UPDATE slurm_jobs SET state = 'RUNNING' WHERE job_id = $1`, [job])
}

describe('a job that is suspended in Slurm', () => {
  it('is paused until it is resumed, also while its worker restarts, and its time limit does not count', async () => {
    const go = latch()
    const { lab, worker, job } = await open(counting(20, go.opened))
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    await suspend(lab, job)
    await worker.kill()
    const { rowCount } = await lab.database.pool.query(
      `UPDATE tasks SET started_at = started_at - interval '2 hours', paused_at = paused_at - interval '2 hours'
        WHERE job_id = $1 AND paused_at IS NOT NULL`,
      [job],
    )
    expect(rowCount).toBe(1)
    // The new worker reads the output from its first byte, and leaves the container as it is.
    const hold = lab.engine.holds.hold('replay', 'after')
    worker.start()
    await hold.reached
    hold.release()
    go.open()
    await lab.untilReady(1)
    await lab.untilContainer(job, 'paused')
    await resume(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'completed',
      reason: 'finished',
      attempt: 1,
    })
    await expectCounted(lab, job, 20)
    const { rows } = await lab.database.pool.query(
      'SELECT paused_at, paused_seconds >= 7200 AS counted FROM tasks WHERE job_id = $1',
      [job],
    )
    expect(rows).toEqual([{ paused_at: null, counted: true }])
    await expectAllTrue(lab)
  })

  it('a job that is suspended in Slurm and resumed while its worker is away: the next worker resumes its container', async () => {
    const go = latch()
    const { lab, worker, job } = await open(counting(20, go.opened))
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    await suspend(lab, job)
    await worker.kill()
    await resume(lab, job)
    go.open()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })

  it('can be cancelled in gpuq: its program is resumed and told to stop', async () => {
    const { lab, job } = await open(untilStopped)
    await lab.jobs.untilPrinted(job, /started/)
    await suspend(lab, job)
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
    expect(await lab.jobs.lines(job)).toEqual(['started', 'told to stop'])
    await expectAllTrue(lab)
  })
})

describe('an order to stop an attempt', () => {
  const order = (jobId: string, reason: Promise<EndReason>) => ({
    jobId,
    attempt: 1,
    rank: 0,
    graceMs: 60_000,
    reason,
  })

  it('an order to stop an attempt whose reason becomes known after the end of the container: the job ends for that reason', async () => {
    const { lab, worker, job } = await open(untilStopped)
    await lab.jobs.untilPrinted(job, /started/)
    let decide: (reason: EndReason) => void = () => {}
    const reason = new Promise<EndReason>((resolve) => {
      decide = resolve
    })
    await worker.stopAttempt(order(job, reason))
    await lab.untilContainer(job, 'exited')
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running' })
    decide('cancelled_by_admin')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ reason: 'cancelled_by_admin' })
    expect(await lab.jobs.lines(job)).toEqual(['started', 'told to stop'])
    await expectAllTrue(lab)
  })

  it('an order to stop an attempt of another attempt: it has no effect', async () => {
    const { lab, worker, job } = await open(endless)
    await lab.jobs.untilPrinted(job, /in/)
    await worker.stopAttempt({ ...order(job, Promise.resolve('timeout')), attempt: 2 })
    await lab.untilContainer(job, 'running')
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ reason: 'cancelled_by_user' })
    await expectAllTrue(lab)
  })
})
