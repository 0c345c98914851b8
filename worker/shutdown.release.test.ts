import { describe, expect } from 'vitest'
import { DatabaseGate } from './testing/database-gate'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'
import type { WorkerProcess } from './testing/worker-process'

/** Runs long on the first attempt, and is done at once on the second. */
const onceMore = `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"])
time.sleep(100 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`

async function nodeStatus(lab: Lab, { node }: WorkerProcess): Promise<string | undefined> {
  const { rows } = await lab.database.pool.query<{ status: string }>(
    'SELECT status FROM nodes WHERE name = $1',
    [node],
  )
  return rows[0]?.status
}

describe.concurrent('a worker that receives a signal', () => {
  it('stops its jobs and returns them to the queue after SIGINT or a second SIGTERM', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    for (const signals of [['SIGINT'], ['SIGTERM', 'SIGTERM']] as const) {
      const job = await lab.jobs.submit(onceMore)
      await lab.jobs.untilPrinted(job, /attempt 1/)
      for (const signal of signals) {
        worker.signal(signal)
        await lab.jobs.until('it was heard', async () => (await nodeStatus(lab, worker)) !== 'ready')
      }
      expect(await worker.ended()).toBe(0)
      expect(await lab.jobs.row(job)).toMatchObject({ status: 'pending', attempt: 1 })
      expect(await lab.containers()).toEqual([])
      expect(await nodeStatus(lab, worker)).toBe('drained')
      worker.start()
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    }
    await expectAllTrue(lab)
  })

  it('leaves no container behind if its database is down', async ({ openLab }) => {
    const lab = await openLab()
    const gate = await DatabaseGate.open(lab.database.url)
    lab.afterwards(async () => gate.close())
    const worker = await lab.startWorker({ node: 'a', databaseUrl: gate.through })
    const job = await lab.jobs.submit(onceMore)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    gate.cut()
    worker.signal('SIGINT')
    await worker.ended()
    expect(await lab.containers()).toEqual([])
    gate.restore()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    await expectAllTrue(lab)
  })
})
