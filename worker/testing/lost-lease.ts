import { expect } from 'vitest'
import { cancel } from './cancel'
import type { Lab } from './lab'
import { expectAllTrue } from './truth'

/** Runs on without end; a second attempt ends. */
export const endless = `
import itertools, os, time
print("attempt", os.environ["GPUQ_ATTEMPT"])
for i in itertools.count() if os.environ["GPUQ_ATTEMPT"] == "1" else range(3):
    print("line", i)
    time.sleep(0.1)`

const secondAttempt = ['attempt 2', 'line 0', 'line 1', 'line 2']

/** Settings of a worker whose own clock has to tell it that its lease is over. */
export const shortLease = { GPUQ_NODE_LEASE_S: '15' }

/** The job ends on the other worker, "b". */
export async function expectMoved(lab: Lab, job: string): Promise<void> {
  expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
  expect(await lab.jobs.lines(job)).toEqual(secondAttempt)
  expect(await lab.jobs.task(job)).toMatchObject({ node: 'b' })
}

/** The first worker, "a", serves again beside "b", and nothing is left of what it had. */
export async function expectServesAgain(lab: Lab): Promise<void> {
  await lab.jobs.until('the node is ready again', async () => {
    const { rowCount } = await lab.database.pool.query(
      `SELECT 1 FROM nodes WHERE name = 'a' AND status = 'ready' AND lease_expires_at > now()`,
    )
    return rowCount === 1
  })
  // Neither leaves its GPU before the other has one.
  const jobs = await Promise.all([0, 1].map(() => lab.jobs.submit('import time\ntime.sleep(100)')))
  for (const job of jobs) await lab.jobs.untilStatus(job, 'running')
  const nodes = await Promise.all(jobs.map(async (job) => (await lab.jobs.task(job))?.node))
  expect(nodes.sort()).toEqual(['a', 'b'])
  for (const job of jobs) await cancel(lab, job)
  await expectAllTrue(lab)
}
