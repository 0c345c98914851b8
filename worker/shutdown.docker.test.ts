import { describe, expect } from 'vitest'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

/** Works until it is signalled. */
const working = `
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("in")
signal.sigwait([signal.SIGUSR1])
print("out")`

// shutdown.db.test.ts has the other ways to stop a worker, without containers.
describe('a worker that receives SIGTERM', () => {
  it('finishes its jobs, accepts no new ones, and ends', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a', gpus: 2 })
    const nodeStatus = async () => {
      const { rows } = await lab.database.pool.query<{ status: string }>('SELECT status FROM nodes')
      return rows[0]?.status
    }
    const running = await lab.jobs.submit(working)
    await lab.jobs.untilPrinted(running, /in/)
    worker.signal('SIGTERM')
    await lab.jobs.until('it was heard', async () => (await nodeStatus()) !== 'ready')
    const later = await lab.jobs.submit('print("later")')
    for (const { id } of await lab.containers()) await lab.engine.signal(id, 'SIGUSR1')

    expect(await worker.ended()).toBe(0)
    expect(await lab.jobs.row(running)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(running)).toEqual(['in', 'out'])
    expect(await lab.jobs.row(later)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await nodeStatus()).toBe('drained')
    expect(await lab.containers()).toEqual([])
    worker.start()
    expect(await lab.jobs.untilFinal(later)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })
})
