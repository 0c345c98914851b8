import { describe, expect } from 'vitest'
import { cancel } from './testing/cancel'
import type { Lab } from './testing/lab'
import { it, type LabFixtures } from './testing/lab-test'
import { type RankRow, ranksOf } from './testing/ranks'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

const spec = { gpu_count: 1, instance_count: 2, cpu: 0.2, memory_gb: 0.25 }

/** Counts to six, and for longer on the first attempt. */
const counting = `
import os, time
print("rank", os.environ["GPUQ_RANK"], "attempt", os.environ["GPUQ_ATTEMPT"])
for i in range(6 if os.environ["GPUQ_ATTEMPT"] == "2" else 80):
    print("line", i)
    time.sleep(0.1)`

async function untilAllPrint(lab: Lab, job: string): Promise<RankRow[]> {
  return lab.jobs.until('both ranks print', async () => {
    const ranks = await ranksOf(lab, job)
    return ranks.length === 2 && ranks.every(({ output }) => output > 150) && ranks
  })
}

/** A lab of two workers whose second one was stopped before it could take its part of the job. */
async function openWaiting(openLab: LabFixtures['openLab']) {
  const lab = await openLab()
  const a = await lab.startWorker({ node: 'a' })
  await lab.jobs.until('a leads', async () => a.log.includes('leading the scheduler'))
  const b = await lab.startWorker({ node: 'b' })
  await lab.untilReady(2)
  b.signal('SIGSTOP')
  const job = await lab.jobs.submit(counting, { spec })
  await lab.jobs.until('a waits for b', async () => {
    const [first] = (await ranksOf(lab, job)).filter(({ node }) => node === 'a')
    return first?.ready
  })
  const states = async () => (await lab.containers()).map(({ state }) => state)
  expect(await states()).toEqual(['created'])
  return { lab, a, b, job, states }
}

describe.concurrent('a job on two nodes', () => {
  it('continues after a worker is killed and restarted', async ({ openLab }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const b = await lab.startWorker({ node: 'b' })
    const job = await lab.jobs.submit(counting, { spec })
    await untilAllPrint(lab, job)
    await b.kill()
    b.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it('restarts all tasks when a worker does not come back', async ({ openLab }) => {
    const lab = await openLab()
    for (const node of ['a', 'b']) await lab.startWorker({ node })
    const job = await lab.jobs.submit(counting.replace('80', '8000'), { spec })
    const ranks = await untilAllPrint(lab, job)
    await lab.startWorker({ node: 'c' })
    const watch = new Watch(lab)
    const killed = lab.workers.find(({ node }) => node === ranks[1]?.node)
    await killed?.kill()
    await lab.expireLease(killed?.node ?? '')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    const again = await ranksOf(lab, job)
    expect(again.map(({ node }) => node).sort()).toEqual([ranks[0]?.node, 'c'])
    killed?.start()
    await expectAllTrue(lab)
    expect(await watch.stop()).toMatchObject({ gpusTwice: [], falseBooks: [] })
  })

  it('waits on the first node until the other is ready, also if the worker restarts', async ({ openLab }) => {
    const { lab, a, b, job, states } = await openWaiting(openLab)
    // From here on b keeps its lease, and cannot take its part.
    const letGo = await lab.holdLocks(`SELECT 1 FROM tasks WHERE status = 'scheduled' FOR UPDATE`)
    b.signal('SIGCONT')
    await a.kill()
    a.start()
    // It is offered once its worker has looked at what is there, and adopted it.
    await lab.jobs.until('a serves again', async () => a.log.split('"msg":"serving"').length > 2)
    await lab.jobs.until('a is offered again', async () => {
      const { rowCount } = await lab.database.pool.query(
        `SELECT 1 FROM nodes WHERE name = 'a' AND status = 'ready'`,
      )
      return rowCount === 1
    })
    expect(await states()).toEqual(['created'])
    await letGo()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it('is cancelled while one task waits for the other', async ({ openLab }) => {
    const { lab, b, job, states } = await openWaiting(openLab)
    await cancel(lab, job)
    await lab.jobs.until('the one that waited is gone', async () => (await states()).length === 0)
    b.signal('SIGCONT')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
    await expectAllTrue(lab)
  })

  it('is restarted when the node that others wait for is lost', async ({ openLab }) => {
    const { lab, b, job } = await openWaiting(openLab)
    await b.kill()
    await lab.expireLease('b')
    await lab.startWorker({ node: 'c' })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    b.start()
    await expectAllTrue(lab)
  })
})
