import { describe, expect, it } from 'vitest'
import type { Script } from './runtime/testing/fake-container'
import { FakeRuntime } from './runtime/testing/fake-runtime'
import { latch } from './runtime/testing/latch'
import { RuntimeBench } from './runtime/testing/runtime-bench'
import { FakeLab } from './testing/fake-lab'
import { counting, expectCounted, onceMore, short } from './testing/scripts'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

async function open(gpus = 1) {
  const lab = await FakeLab.open()
  const worker = lab.startWorker({ node: 'a', gpus })
  return { lab, worker }
}

/** The reasons of the attempts of a job, the first one first. */
async function reasonsOf(lab: FakeLab, job: string): Promise<string[]> {
  const { rows } = await lab.database.pool.query<{ reason: string }>(
    'SELECT reason FROM tasks WHERE job_id = $1 ORDER BY attempt',
    [job],
  )
  return rows.map(({ reason }) => reason)
}

async function containerOf(lab: FakeLab, job: string): Promise<string> {
  const found = (await lab.containers()).find(({ jobId }) => jobId === job)
  if (found === undefined) throw new Error(`The job ${job} has no container.`)
  return found.id
}

/** Creates a container with the name of a task's container, as another gpuq would. */
async function squat(lab: FakeLab, jobId: string, taskId: string): Promise<string> {
  const bench = new RuntimeBench(new FakeRuntime(lab.engine))
  const { ref } = lab.engine.create(await bench.task('', { jobId, taskId }))
  await bench.removeDirectories()
  return ref.id
}

describe('an engine that restarts', () => {
  it('an engine that restarts and ends its containers: the jobs start again, and it does not count against the node', async () => {
    const { lab } = await open()
    const job = await lab.submit(onceMore)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    const watch = new Watch(lab)
    lab.engine.stop({ liveRestore: false })
    lab.engine.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
    expect(await reasonsOf(lab, job)).toEqual(['engine_restarted', 'finished'])
    const { rows } = await lab.database.pool.query('SELECT failures_in_row FROM nodes')
    expect(rows).toEqual([{ failures_in_row: 0 }])
    await expectAllTrue(lab)
  })

  it('an engine that restarts while a job is placed: the job starts when the engine is back', async () => {
    const { lab } = await open()
    await lab.untilReady(1)
    lab.engine.stop({ liveRestore: false })
    const job = await lab.submit(short)
    await lab.jobs.until('it is placed', async () => (await lab.jobs.row(job)).status !== 'pending')
    lab.engine.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it('an engine that restarts under live-restore: no job and no line is lost', async () => {
    const { lab } = await open()
    const middle = latch()
    const end = latch()
    const script: Script = async (program) => {
      await counting(20, middle.opened)(program)
      await end.opened
      return 0
    }
    const job = await lab.submit(script)
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    lab.engine.stop({ liveRestore: true })
    middle.open()
    lab.engine.start()
    await lab.jobs.untilPrinted(job, /line 19\n/)
    end.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })

  it('an engine that restarts under live-restore, while a program ends: its last output may be lost, so its job starts again', async () => {
    const { lab } = await open()
    const end = latch()
    const job = await lab.submit(async ({ attempt, print }) => {
      await print(`attempt ${attempt}\n`)
      if (attempt === 1) await end.opened
      return 0
    })
    await lab.jobs.untilPrinted(job, /attempt 1/)
    lab.engine.stop({ liveRestore: true })
    end.open()
    await lab.untilContainer(job, 'exited')
    lab.engine.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await reasonsOf(lab, job)).toEqual(['engine_restarted', 'finished'])
    await expectAllTrue(lab)
  })

  it('an engine that restarts that only breaks its connections: the worker attaches again, and no line is missing or doubled', async () => {
    const { lab } = await open()
    const go = latch()
    const job = await lab.submit(counting(20, go.opened))
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    lab.engine.breakConnections()
    go.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })
})

describe('a container of gpuq', () => {
  it.for(['while its worker runs', 'while its worker is away'] as const)(
    'a container of gpuq that a user removes %s: its job starts again',
    async (moment) => {
      const { lab, worker } = await open()
      const job = await lab.submit(onceMore)
      await lab.jobs.untilPrinted(job, /attempt 1/)
      if (moment === 'while its worker is away') await worker.kill()
      lab.engine.removeByHand(await containerOf(lab, job))
      if (moment === 'while its worker is away') worker.start()
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
      expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
      await expectAllTrue(lab)
    },
  )

  it('a container of gpuq that a user kills: its job starts again', async () => {
    const { lab } = await open()
    const job = await lab.submit(onceMore)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    lab.engine.killByHand(await containerOf(lab, job))
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    await expectAllTrue(lab)
  })

  it('a container of gpuq whose name another container has: it is not adopted, and the job gets another name', async () => {
    const { lab } = await open()
    const hold = lab.engine.holds.hold('create', 'before')
    const job = await lab.submit(short)
    await hold.reached
    const { id: taskId = '' } = (await lab.jobs.task(job)) ?? {}
    const squatter = await squat(lab, job, taskId)
    hold.release()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['short'])
    // The container of an ended job is removed a moment later.
    await expect.poll(() => lab.engine.containers().map(({ id }) => id)).toEqual([squatter])
    await expectAllTrue(lab)
  })
})

describe('an image', () => {
  it('an image that is removed while a job runs: the job continues, the next one waits, and runs when the image is back', async () => {
    const { lab } = await open()
    const image = 'lab/image:1'
    lab.engine.images.add(image)
    const go = latch()
    const running = await lab.submit(counting(20, go.opened), { image })
    await lab.jobs.untilPrinted(running, /line 9\nline $/)
    lab.engine.images.delete(image)
    go.open()
    expect(await lab.jobs.untilFinal(running)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, running, 20)

    const hopeless = await lab.submit(short, { image, maxRetries: 0 })
    expect(await lab.jobs.untilFinal(hopeless)).toMatchObject({
      status: 'failed',
      reason: 'image_unavailable',
    })
    const patient = await lab.submit(short, { image, maxRetries: 5 })
    await lab.jobs.until('it was tried', async () => (await lab.jobs.row(patient)).reason === 'backing_off')
    lab.engine.images.add(image)
    await lab.database.pool.query('UPDATE jobs SET not_before = now() WHERE id = $1', [patient])
    await lab.database.pool.query('NOTIFY gpuq_queue')
    expect(await lab.jobs.untilFinal(patient)).toMatchObject({ status: 'completed' })
    await expectAllTrue(lab)
  })
})

describe('workers that are killed, suspended and cut off from their engine in turn', () => {
  it('lose no job and no line', async () => {
    const lab = await FakeLab.open()
    const workers = ['a', 'b', 'c'].map((node) => lab.startWorker({ node, gpus: 2 }))
    await lab.untilReady(3)
    const go = latch()
    const watch = new Watch(lab)
    const jobs: string[] = []
    while (jobs.length < 12) jobs.push(await lab.submit(counting(60, go.opened), { maxRetries: 0 }))
    await lab.jobs.until('jobs print on every node', async () => {
      const { rowCount } = await lab.database.pool.query(
        'SELECT DISTINCT node_id FROM tasks WHERE output_bytes > 0',
      )
      return rowCount === 3
    })
    const [first, second] = workers
    await first?.kill()
    second?.suspend()
    lab.engine.breakConnections()
    go.open()
    first?.start()
    second?.resume()
    for (const job of jobs) {
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
      await expectCounted(lab, job, 60)
    }
    expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
    await expectAllTrue(lab)
  })
})
