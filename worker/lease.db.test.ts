import { describe, expect, it } from 'vitest'
import type { Script } from './runtime/testing/fake-container'
import { latch } from './runtime/testing/latch'
import { cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { counting, endless, expectCounted, onceMore } from './testing/scripts'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

/** A lab whose job runs on "a", with a second, idle worker "b". */
async function openWithIdle() {
  const lab = await FakeLab.open()
  const worker = lab.startWorker({ node: 'a' })
  const job = await lab.submit(onceMore)
  await lab.jobs.untilPrinted(job, /attempt 1/)
  lab.startWorker({ node: 'b' })
  await lab.untilReady(2)
  return { lab, worker, job }
}

/** The job completes on the other node. */
async function expectMoved(lab: FakeLab, job: string): Promise<void> {
  expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
  expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
  expect(await lab.jobs.task(job)).toMatchObject({ node: 'b' })
}

/** Both nodes take jobs, and nothing is left of earlier ones. */
async function expectServesAgain(lab: FakeLab): Promise<void> {
  await lab.untilReady(2)
  const jobs = await Promise.all([lab.submit(endless), lab.submit(endless)])
  for (const job of jobs) await lab.jobs.untilPrinted(job, /in/)
  const nodes = await Promise.all(jobs.map(async (job) => (await lab.jobs.task(job))?.node))
  expect(nodes.sort()).toEqual(['a', 'b'])
  for (const job of jobs) await cancel(lab, job)
  await expectAllTrue(lab)
}

describe('a worker', () => {
  it('a worker without a connection to the database: it stops its containers before another worker may start them', async () => {
    const { lab, worker, job } = await openWithIdle()
    const watch = new Watch(lab)
    await worker.cutDatabase()
    worker.expireByItsClock()
    await lab.jobs.until('its containers are gone', async () => (await lab.containers()).length === 0)
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', attempt: 1 })
    await lab.expireLease('a')
    await expectMoved(lab, job)
    expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
    worker.restoreDatabase()
    await expectServesAgain(lab)
  })

  it('a worker that was suspended until its lease expired: it finds that another worker has its job', async () => {
    const { lab, worker, job } = await openWithIdle()
    const watch = new Watch(lab)
    worker.suspend()
    await lab.expireLease('a')
    await expectMoved(lab, job)
    await lab.jobs.until('only the old container is left', async () => (await lab.containers()).length === 1)
    worker.resume()
    await expectServesAgain(lab)
    // Until it goes on, the old attempt runs beside the new one.
    expect(await watch.stop()).toMatchObject({ gpusTwice: [], falseBooks: [] })
  })

  it('a worker that is killed: its job runs on another node, and its container is removed when it comes back', async () => {
    const { lab, worker, job } = await openWithIdle()
    const watch = new Watch(lab)
    await worker.kill()
    await lab.expireLease('a')
    await expectMoved(lab, job)
    worker.start()
    await expectServesAgain(lab)
    expect(await watch.stop()).toMatchObject({ gpusTwice: [], falseBooks: [] })
  })

  it('a worker whose job has ended elsewhere: what it knows of its container has no effect', async () => {
    const { lab, worker, job } = await openWithIdle()
    worker.suspend()
    await lab.expireLease('a')
    await expectMoved(lab, job)
    for (const { id, state } of await lab.containers()) if (state === 'running') lab.engine.find(id).kill()
    worker.resume()
    await lab.untilReady(2)
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'completed', attempt: 2 })
    await expectAllTrue(lab)
  })

  it('a worker that loses the database for a short time: its job continues, and no line is missing', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const go = latch()
    const job = await lab.submit(counting(100, go.opened))
    await lab.jobs.untilPrinted(job, /line 49\nline $/)
    await worker.cutDatabase()
    go.open()
    await lab.untilContainer(job, 'exited')
    const { refusals } = worker
    await lab.jobs.until('more statements have failed', () => Promise.resolve(worker.refusals > refusals + 5))
    worker.restoreDatabase()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 100)
    await expectAllTrue(lab)
  })

  it('a worker that is started twice with one name: the later one takes over, and the container continues', async () => {
    const lab = await FakeLab.open()
    const first = lab.startWorker({ node: 'a' })
    const go = latch()
    const job = await lab.submit(counting(20, go.opened))
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    lab.startWorker({ node: 'a' })
    expect((await first.ended())?.message).toContain('took over')
    go.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })

  it('a worker that has the name of a node on another machine: it is refused until the lease of that node has expired', async () => {
    const lab = await FakeLab.open()
    const here = lab.startWorker({ node: 'a' })
    const job = await lab.submit(onceMore)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    const engine = lab.openEngine()
    const there = lab.startWorker({ node: 'a', engine, directory: `${lab.directory}/another` })
    expect((await there.ended())?.message).toContain('Another machine already serves the node')
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', attempt: 1 })

    here.suspend()
    await lab.expireLease('a')
    there.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    // The node is another machine's now, but the container of the old attempt runs here.
    expect(await lab.containers()).toHaveLength(1)
    here.resume()
    expect((await here.ended())?.message).toContain('Another machine already serves the node')
    await expectAllTrue(lab)
    await expectAllTrue(lab, engine)
  })
})

describe('a leader', () => {
  it('a leader that was suspended while it stored a result: it does not undo the work of its successor', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const client = await lab.database.pool.connect()
    await client.query('BEGIN')
    await client.query('LOCK TABLE result_files IN SHARE ROW EXCLUSIVE MODE')
    const job = await lab.submit(counting(1000))
    await lab.jobs.until('the leader is about to store the result', async () => {
      const { rowCount } = await lab.database.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO result_files%' AND datname = current_database()`,
      )
      return rowCount === 1
    })
    const { leader } = lab
    leader.suspend()
    await client.query('COMMIT')
    client.release()
    lab.startLeader()
    const stored = await lab.jobs.file(job)
    leader.resume()
    await leader.end()
    expect((await lab.jobs.file(job)).equals(stored)).toBe(true)
    await expectCounted(lab, job, 1000)
    await expectAllTrue(lab)
  })
})

describe('two workers on one database', () => {
  it('two workers on one database of which one is killed during its jobs: all jobs complete on the other, and no GPU is given twice', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a', gpus: 2 })
    const killed = lab.startWorker({ node: 'b', gpus: 2 })
    await lab.untilReady(2)
    const watch = new Watch(lab)
    const go = latch()
    const working: Script = async ({ attempt, print }) => {
      await print(`attempt ${attempt}\n`)
      if (attempt === 1) await go.opened
      await print('done\n')
      return 0
    }
    const spec = { gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }
    const jobs = await Promise.all(Array.from({ length: 6 }, () => lab.submit(working, { spec })))
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
    go.open()
    for (const job of jobs) {
      const attempt = left.includes(job) ? 2 : 1
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt })
      expect(await lab.jobs.lines(job)).toEqual([`attempt ${attempt}`, 'done'])
      expect(await lab.jobs.task(job)).toMatchObject({ node: 'a' })
    }
    const { looks, ...seen } = await watch.stop()
    expect(seen).toMatchObject({ gpusTwice: [], falseBooks: [] })
    expect(looks).toBeGreaterThan(0)
    killed.start()
    await expectAllTrue(lab)
  })
})
