import { afterAll, describe, expect, inject, it } from 'vitest'
import { Lab } from './testing/lab'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

const labs: Lab[] = []
afterAll(() => Promise.all(labs.map((lab) => lab.close())))

/** Works for a while on the first attempt; a later one only has to be there. */
const working = `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"])
time.sleep(30 if os.environ["GPUQ_ATTEMPT"] == "1" else 1)
print("done")`

const spec = { gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }

describe('two workers on one database', () => {
  it('share a queue; when one is killed in mid-job, all jobs complete on the other, and no GPU is given twice', async () => {
    const lab = await Lab.open({ postgresDirectory: inject('postgresDirectory') })
    labs.push(lab)
    await lab.startWorker({ node: 'a', gpus: 2 })
    const killed = await lab.startWorker({ node: 'b', gpus: 2 })
    await lab.jobs.until('both are ready', async () => {
      const { rowCount } = await lab.database.pool.query(`SELECT 1 FROM nodes WHERE status = 'ready'`)
      return rowCount === 2
    })
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

    for (const job of jobs) {
      const again = left.includes(job)
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: again ? 2 : 1 })
      expect(await lab.jobs.lines(job)).toEqual([`attempt ${again ? 2 : 1}`, 'done'])
      expect(await lab.jobs.task(job)).toMatchObject({ node: 'a' })
    }
    const { looks, ...seen } = await watch.stop()
    expect(seen).toMatchObject({ gpusTwice: [], falseBooks: [] })
    expect(looks).toBeGreaterThan(20)
    killed.start()
    await expectAllTrue(lab)
  })
})
