import { describe, expect } from 'vitest'
import { preemptJobs } from '@/lib/cluster/placement/place'
import { setDatabase } from '@/lib/database/client'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

/** Cleans up when it is asked to end, on the first attempt; is done at once on the second. */
const polite = `
import os, signal, sys, time
def leave(*_):
    print("making room")
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
print("attempt", os.environ["GPUQ_ATTEMPT"])
time.sleep(100 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`

describe('a preempted job', () => {
  it('is asked to end, frees its GPU, and runs again later, although it has no retries', async ({
    openLab,
  }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const job = await lab.jobs.submit(polite, { maxRetries: 0 })
    await lab.jobs.untilPrinted(job, /attempt 1\n/)
    setDatabase(lab.database)
    const first = await lab.jobs.submit('print("mine")')
    await preemptJobs([{ jobId: job, forJobId: first }])

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
