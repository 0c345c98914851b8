import { describe, expect, it } from 'vitest'
import type { Script } from './runtime/testing/fake-container'
import { type Latch, latch } from './runtime/testing/latch'
import { cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import type { FakeWorker } from './testing/fake-worker'
import { type RankRow, ranksOf } from './testing/ranks'
import { forever } from './testing/scripts'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

const spec = { gpu_count: 1, instance_count: 2, cpu: 0.2, memory_gb: 0.25 }

/** Says which rank of which attempt it is. The first attempt waits for the test. */
const waiting =
  ({ opened }: Latch): Script =>
  async ({ rank, attempt, print }) => {
    await print(`rank ${rank} attempt ${attempt}\n`)
    if (attempt === 1) await opened
    await print(`rank ${rank} done\n`)
    return 0
  }

async function untilAllPrint(lab: FakeLab, job: string): Promise<RankRow[]> {
  return lab.jobs.until('both ranks print', async () => {
    const ranks = await ranksOf(lab, job)
    return ranks.length === 2 && ranks.every(({ output }) => output > 0) && ranks
  })
}

async function openWithTwo() {
  const lab = await FakeLab.open()
  const a = lab.startWorker({ node: 'a' })
  const b = lab.startWorker({ node: 'b' })
  await lab.untilReady(2)
  return { lab, a, b }
}

const states = async (lab: FakeLab) => (await lab.containers()).map(({ state }) => state)

/** A lab of two workers, of which "b" was suspended before it could take its part of a job. "a" waits for it. */
async function openWaiting() {
  const { lab, a, b } = await openWithTwo()
  const go = latch()
  b.suspend()
  const job = await lab.submit(waiting(go), { spec })
  await lab.jobs.until('a waits for b', async () => {
    const [first] = (await ranksOf(lab, job)).filter(({ node }) => node === 'a')
    return first?.ready
  })
  expect(await states(lab)).toEqual(['created'])
  // It stays suspended longer than a lease lasts on a slow machine.
  await lab.database.pool.query(
    `UPDATE nodes SET lease_expires_at = now() + interval '1 hour' WHERE name = 'b'`,
  )
  return { lab, a, b, job, go }
}

function workerOf(workers: FakeWorker[], node: string | undefined): FakeWorker {
  const worker = workers.find((one) => one.node === node)
  if (worker === undefined) throw new Error(`There is no worker of ${node}.`)
  return worker
}

describe('a job on two nodes', () => {
  it('a job on two nodes of which both tasks succeed: it completes, and its network is removed', async () => {
    const { lab } = await openWithTwo()
    const go = latch()
    const job = await lab.submit(waiting(go), { spec })
    await untilAllPrint(lab, job)
    expect(await lab.networks()).toHaveLength(1)
    go.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const lines = (await lab.jobs.lines(job)).sort()
    expect(lines).toEqual(['rank 0 attempt 1', 'rank 0 done', 'rank 1 attempt 1', 'rank 1 done'])
    await expectAllTrue(lab)
  })

  it('a job on two nodes of which one task fails: it is stopped on all nodes, and the reason names that task', async () => {
    const { lab } = await openWithTwo()
    const go = latch()
    const job = await lab.submit(
      async ({ rank, print }) => {
        await print('in\n')
        await go.opened
        return rank === 1 ? 3 : forever
      },
      { spec },
    )
    await untilAllPrint(lab, job)
    go.open()
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

  it('a job on two nodes of which one task takes too much memory: that is the reason, although the other task fails too', async () => {
    const { lab } = await openWithTwo()
    const go = latch()
    const job = await lab.submit(
      async ({ rank, print, catchTermination }) => {
        const told = catchTermination()
        await print('in\n')
        await go.opened
        if (rank === 1) return 'out_of_memory'
        await told
        return 1
      },
      { spec },
    )
    await untilAllPrint(lab, job)
    go.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'out_of_memory' })
    await expectAllTrue(lab)
  })

  it('a job on two nodes of which one worker is killed and started again: it continues', async () => {
    const { lab, b } = await openWithTwo()
    const go = latch()
    const job = await lab.submit(waiting(go), { spec })
    await untilAllPrint(lab, job)
    await b.kill()
    b.start()
    go.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it('a job on two nodes of which one worker does not come back: all its tasks are started again', async () => {
    const { lab } = await openWithTwo()
    const job = await lab.submit(waiting(latch()), { spec })
    const ranks = await untilAllPrint(lab, job)
    lab.startWorker({ node: 'c' })
    await lab.untilReady(3)
    const watch = new Watch(lab)
    const killed = workerOf(lab.workers, ranks[1]?.node)
    await killed.kill()
    await lab.expireLease(killed.node)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    const again = await ranksOf(lab, job)
    expect(again.map(({ node }) => node).sort()).toEqual([ranks[0]?.node, 'c'].sort())
    killed.start()
    await expectAllTrue(lab)
    expect(await watch.stop()).toMatchObject({ gpusTwice: [], falseBooks: [] })
  })

  it('a job on two nodes of which one task is not ready: the other waits, also after a restart of its worker', async () => {
    const { lab, a, b, job, go } = await openWaiting()
    await a.kill()
    await lab.database.pool.query(`UPDATE nodes SET status = 'draining' WHERE name = 'a'`)
    a.start()
    await lab.untilReady(2)
    expect(await states(lab)).toEqual(['created'])
    go.open()
    b.resume()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it('a job on two nodes that is cancelled while one task waits for the other: the container that waits is removed', async () => {
    const { lab, b, job } = await openWaiting()
    await cancel(lab, job)
    await lab.jobs.until('the one that waited is gone', async () => (await states(lab)).length === 0)
    b.resume()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
    await expectAllTrue(lab)
  })

  it('a job on two nodes of which the node that others wait for is lost: it is started again on other nodes', async () => {
    const { lab, b, job } = await openWaiting()
    await b.kill()
    await lab.expireLease('b')
    lab.startWorker({ node: 'c' })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    b.start()
    await expectAllTrue(lab)
  })
})
