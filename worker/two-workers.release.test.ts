import { describe, expect } from 'vitest'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

/** Works until it is signalled on the first attempt; a later one only has to be there. */
const working = `
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("attempt", os.environ["GPUQ_ATTEMPT"])
if os.environ["GPUQ_ATTEMPT"] == "1": signal.sigwait([signal.SIGUSR1])
print("done")`

const spec = { gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }

/** Signals the jobs on a node that have printed something, and returns them. */
async function signalPrinting(lab: Lab, node: string): Promise<string[]> {
  const { rows } = await lab.database.pool.query<{ job: string; task: string }>(
    `SELECT t.job_id AS job, t.id AS task FROM tasks t JOIN nodes n ON n.id = t.node_id
      WHERE n.name = $1 AND t.attempt = 1 AND t.status = 'running' AND t.output_bytes > 0`,
    [node],
  )
  const containers = await lab.containers()
  const printing = rows.flatMap(({ job, task }) => {
    const container = containers.find(({ taskId, state }) => taskId === task && state === 'running')
    return container ? [{ job, container }] : []
  })
  for (const { container } of printing) await lab.engine.signal(container.id, 'SIGUSR1')
  return printing.map(({ job }) => job)
}

describe('two workers on one database', () => {
  it('share a queue; when one is killed during a job, all jobs complete on the other, and no GPU is allocated twice', async ({
    openLab,
  }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a', gpus: 2 })
    const killed = await lab.startWorker({ node: 'b', gpus: 2 })
    await lab.untilReady(2)
    const watch = new Watch(lab)
    const jobs = await Promise.all(Array.from({ length: 6 }, () => lab.jobs.submit(working, { spec })))
    const running = await lab.jobs.until('all four GPUs have a job that prints', async () => {
      const { rows } = await lab.database.pool.query<{ job: string; node: string }>(
        `SELECT t.job_id AS job, n.name AS node FROM tasks t JOIN nodes n ON n.id = t.node_id
          WHERE t.status = 'running' AND t.output_bytes > 0`,
      )
      return rows.length === 4 && rows
    })
    const left = running.filter(({ node }) => node === 'b').map(({ job }) => job)
    expect(left).toHaveLength(2)
    await killed.kill()
    await lab.expireLease('b')
    const waiting = new Set(jobs.filter((job) => !left.includes(job)))
    await lab.jobs.until('all that work have been signalled', async () => {
      for (const job of await signalPrinting(lab, 'a')) waiting.delete(job)
      return waiting.size === 0
    })

    for (const job of jobs) {
      const again = left.includes(job)
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: again ? 2 : 1 })
      expect(await lab.jobs.lines(job)).toEqual([`attempt ${again ? 2 : 1}`, 'done'])
      expect(await lab.jobs.task(job)).toMatchObject({ node: 'a' })
    }
    const { looks, ...seen } = await watch.stop()
    expect(seen).toMatchObject({ gpusTwice: [], falseBooks: [] })
    expect(looks).toBeGreaterThan(0)
    killed.start()
    await expectAllTrue(lab)
  })
})
