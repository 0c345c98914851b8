import { describe, expect, it } from 'vitest'
import { latch } from './runtime/testing/latch'
import { FakeLab } from './testing/fake-lab'
import type { FakeWorker } from './testing/fake-worker'
import { counting, expectCounted, onceMore, short } from './testing/scripts'
import { expectAllTrue } from './testing/truth'

async function nodeStatus(lab: FakeLab, { node }: FakeWorker): Promise<string | undefined> {
  const { rows } = await lab.database.pool.query<{ status: string }>(
    'SELECT status FROM nodes WHERE name = $1',
    [node],
  )
  return rows[0]?.status
}

const untilHeard = (lab: FakeLab, worker: FakeWorker) =>
  lab.jobs.until('it was heard', async () => (await nodeStatus(lab, worker)) !== 'ready')

describe('a worker', () => {
  it('a worker that drains: it finishes its jobs, accepts no new ones, and leaves', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a', gpus: 2 })
    const go = latch()
    const running = await lab.submit(counting(20, go.opened))
    await lab.jobs.untilPrinted(running, /line 9\nline $/)
    worker.drain()
    await untilHeard(lab, worker)
    const later = await lab.submit(short)
    go.open()

    expect(await worker.ended()).toBeNull()
    expect(await lab.jobs.row(running)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, running, 20)
    expect(await lab.jobs.row(later)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await nodeStatus(lab, worker)).toBe('drained')
    expect(await lab.containers()).toEqual([])
    worker.start()
    expect(await lab.jobs.untilFinal(later)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it.for(['at once', 'after it began to drain'] as const)(
    'a worker that is stopped %s: it stops its jobs and returns them to the queue',
    async (moment) => {
      const lab = await FakeLab.open()
      const worker = lab.startWorker({ node: 'a' })
      const job = await lab.submit(onceMore)
      await lab.jobs.untilPrinted(job, /attempt 1/)
      if (moment !== 'at once') {
        worker.drain()
        await untilHeard(lab, worker)
      }
      worker.stop()
      expect(await worker.ended()).toBeNull()
      expect(await lab.jobs.row(job)).toMatchObject({ status: 'pending', attempt: 1 })
      expect(await lab.containers()).toEqual([])
      expect(await nodeStatus(lab, worker)).toBe('drained')
      worker.start()
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
      await expectAllTrue(lab)
    },
  )

  it('a worker that is stopped without a connection to the database: it leaves no container behind', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const job = await lab.submit(onceMore)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    await worker.cutDatabase()
    worker.stop()
    worker.expireByItsClock()
    expect(await worker.ended()).toBeNull()
    expect(await lab.containers()).toEqual([])
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    await expectAllTrue(lab)
  })
})
