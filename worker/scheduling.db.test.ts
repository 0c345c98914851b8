import { describe, expect, it } from 'vitest'
import { preemptJobs } from '@/lib/cluster/placement/place'
import { queueSubmitSchema } from '@/lib/contract/queue'
import { setHeld } from '@/lib/queue/hold'
import { setPriority } from '@/lib/queue/priority'
import { submitToQueue } from '@/lib/queue/submit'
import type { Script } from './runtime/testing/fake-container'
import { latch } from './runtime/testing/latch'
import { actorOf, cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { expectManyJobs } from './testing/many-jobs'
import { endless, short } from './testing/scripts'
import { expectAllTrue } from './testing/truth'

describe('four workers', () => {
  it('run sixty short jobs once each, in order', async () => {
    const lab = await FakeLab.open()
    const done: Script = async ({ print }) => {
      await print('done\n')
      return 0
    }
    await expectManyJobs(lab, 60, (options) => lab.submit(done, options))
  })
})

describe('a preempted job', () => {
  it('a preempted job without retries: it is asked to end, frees its GPU, and runs again later', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const polite: Script = async ({ attempt, print, catchTermination }) => {
      const told = catchTermination()
      await print(`attempt ${attempt}\n`)
      if (attempt > 1) return 0
      await told
      await print('making room\n')
      return 0
    }
    const job = await lab.submit(polite, { maxRetries: 0 })
    await lab.jobs.untilPrinted(job, /attempt 1\n/)
    const first = await lab.submit(short)
    await lab.inDatabase(() => preemptJobs([{ jobId: job, forJobId: first }]))

    expect(await lab.jobs.untilFinal(first)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    const { rows } = await lab.database.pool.query(
      'SELECT reason FROM tasks WHERE job_id = $1 ORDER BY attempt',
      [job],
    )
    expect(rows).toEqual([{ reason: 'preempted' }, { reason: 'finished' }])
    await expectAllTrue(lab)
  })
})

describe('a program', () => {
  it('a program that fails: its job has its exit code and is not tried again', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const job = await lab.submit(async ({ print }) => {
      await print('before\n')
      return 3
    })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'exit_code',
      exitCode: 3,
      attempt: 1,
    })
    expect(await lab.jobs.lines(job)).toEqual(['before'])
    await expectAllTrue(lab)
  })

  it('a program that takes too much memory: its job fails for that reason and is not tried again', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const job = await lab.submit(async () => 'out_of_memory')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'out_of_memory',
      attempt: 1,
    })
    await expectAllTrue(lab)
  })

  it('a program that does not end: it is stopped at its time limit', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const stopped = latch()
    const job = await lab.submit(
      async ({ print, catchTermination }) => {
        const told = catchTermination()
        await print('started\n')
        await told
        stopped.open()
        return 0
      },
      { timeLimitS: 1 },
    )
    await stopped.opened
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'timeout', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(['started'])
    await expectAllTrue(lab)
  })
})

describe('a waiting job', () => {
  /** A lab whose only GPU is in use until the returned job is cancelled. */
  async function openBlocked() {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const blocker = await lab.submit(endless)
    await lab.jobs.untilPrinted(blocker, /in/)
    return { lab, blocker }
  }

  const untilWaits = (lab: FakeLab, job: string) =>
    lab.jobs.until('it waits for a GPU', async () => (await lab.jobs.row(job)).reason === 'no_free_gpu')

  it('a waiting job whose priority is raised: it starts before an earlier one', async () => {
    const { lab, blocker } = await openBlocked()
    const later = await lab.submit(short)
    const urgent = await lab.submit(short)
    for (const job of [later, urgent]) await untilWaits(lab, job)
    const admin = await actorOf(lab, urgent, 'admin')
    await lab.inDatabase(() => setPriority(admin, urgent, 60))
    await cancel(lab, blocker)
    for (const job of [later, urgent])
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    const { rows } = await lab.database.pool.query<{ job: string }>(
      'SELECT job_id AS job FROM tasks WHERE job_id <> $1 ORDER BY created_at',
      [blocker],
    )
    expect(rows.map(({ job }) => job)).toEqual([urgent, later])
    await expectAllTrue(lab)
  })

  it('a waiting job that its owner holds: it starts when it is released', async () => {
    const { lab, blocker } = await openBlocked()
    const job = await lab.submit(short)
    await untilWaits(lab, job)
    const owner = await actorOf(lab, job)
    await lab.inDatabase(() => setHeld(owner, job, true))
    await cancel(lab, blocker)
    // The scheduler looks at the queue for a later job.
    const later = await lab.submit(short)
    expect(await lab.jobs.untilFinal(later)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'pending', reason: 'held' })
    await lab.inDatabase(() => setHeld(owner, job, false))
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it('a waiting job that depends on others: it starts after they have completed', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a', gpus: 3 })
    const first = await lab.submit(short)
    const limits = { submissionsPerMinute: 10, maxActiveJobs: 10 }
    const owner = { ...(await actorOf(lab, first)), limits }
    const queue = (after: string) =>
      lab.inDatabase(async () => {
        const input = queueSubmitSchema.parse({ command: lab.codeOf(short), depends_on: after, max_time: 60 })
        return (await submitToQueue(owner, input, null)).jobId
      })
    const second = await queue(first)
    const third = await queue(second)
    for (const job of [first, second, third])
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM jobs ORDER BY started_at')
    expect(rows.map(({ id }) => id)).toEqual([first, second, third])
    await expectAllTrue(lab)
  })
})
