import { describe, expect } from 'vitest'
import { it } from './testing/lab-test'
import { ranksOf } from './testing/ranks'
import { expectAllTrue } from './testing/truth'

const spec = { gpu_count: 1, instance_count: 2, cpu: 0.2, memory_gb: 0.25 }

const rankOneFails = `
import os, sys, time
time.sleep(2)
if os.environ["GPUQ_RANK"] == "1":
    sys.exit(3)
time.sleep(100)`

// distributed.docker.test.ts has a job that succeeds, gang.db.test.ts has faults at every step, without containers.
describe('a job on two nodes', () => {
  it('is stopped on all nodes when one task fails, and names that task', async ({ openLab }) => {
    const lab = await openLab()
    for (const node of ['a', 'b']) await lab.startWorker({ node })
    const job = await lab.jobs.submit(rankOneFails, { spec })
    const ended = await lab.jobs.untilFinal(job)
    const [zero, one] = await ranksOf(lab, job)
    expect(zero).toMatchObject({ status: 'cancelled', reason: 'peer_failed' })
    expect(one).toMatchObject({ status: 'failed', reason: 'exit_code' })
    expect(ended).toMatchObject({
      status: 'failed',
      reason: 'exit_code',
      exitCode: 3,
      attempt: 1,
      reasonDetail: `Rank 1 on node "${one?.node}" ended with exit code 3.`,
    })
    await expectAllTrue(lab)
  })
})
