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

  it('a worker that leaves before it could report the start of a job: the job runs on', async () => {
    const lab = await FakeLab.open()
    const preparing = latch()
    const prepared = latch()
    const prestart = async () => {
      preparing.open()
      await prepared.opened
      return {}
    }
    // A process that ended at once could not do any harm.
    const left = latch()
    const serve = () => left.opened
    const worker = lab.startWorker({ node: 'a', hooks: [() => ({ prestart, serve })] })
    const end = latch()
    const job = await lab.submit(async () => {
      await end.opened
      return 0
    })
    await preparing.opened
    await worker.cutDatabase()
    prepared.open()
    await lab.untilContainer(job, 'running')
    const { refusals } = worker
    worker.leave()
    worker.stop()
    await lab.jobs.until('the last try has failed', () => Promise.resolve(worker.refusals > refusals + 1))
    left.open()
    expect(await worker.ended()).toBeNull()
    expect(await lab.containers()).toMatchObject([{ state: 'running' }])
    worker.start()
    end.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })
})
