import { describe, expect, it } from 'vitest'
import type { RuntimeCall } from './runtime/testing/call-holds'
import type { Script } from './runtime/testing/fake-container'
import { type Latch, latch } from './runtime/testing/latch'
import { cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { counting, endless, expectCounted, forever } from './testing/scripts'
import { expectAllTrue, expectBooksMatchContainers } from './testing/truth'

/** Moves the start of a job's task into the past, by the clock that counts its time. */
async function startEarlier(lab: FakeLab, job: string, seconds: number): Promise<void> {
  const { rowCount } = await lab.database.pool.query(
    'UPDATE tasks SET started_at = started_at - make_interval(secs => $2) WHERE job_id = $1 AND started_at IS NOT NULL',
    [job, seconds],
  )
  expect(rowCount).toBe(1)
}

describe('a worker that is killed and started again', () => {
  it('repeatedly: it continues the same container, and no line is missing or doubled', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const steps: Latch[] = [latch(), latch(), latch()]
    const script: Script = async ({ print, printError }) => {
      for (const [i, { opened }] of steps.entries()) {
        await print(`line ${3 * i}\nline ${3 * i + 1}\nline `)
        await printError(`error ${3 * i}\nerror ${3 * i + 1}\n`)
        await opened
        await print(`${3 * i + 2}\n`)
        await printError(`error ${3 * i + 2}\n`)
      }
      return 0
    }
    const job = await lab.submit(script)
    const container = async () => (await lab.containers()).map(({ id, state }) => ({ id, state }))
    await lab.jobs.untilPrinted(job, /line 1\nline $/)
    const before = await container()

    for (const [i, { open }] of steps.entries()) {
      await worker.kill()
      open()
      worker.start()
      if (i === steps.length - 1) break
      await lab.jobs.untilPrinted(job, new RegExp(`line ${3 * i + 2}\n`))
      expect(await container()).toEqual(before)
      await expectBooksMatchContainers(lab)
    }
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 9)
    await expectAllTrue(lab)
  })

  const steps: [string, RuntimeCall, 'before' | 'after'][] = [
    ['claimed, before there is a container', 'create', 'before'],
    ['claimed, before it heard that the container was created', 'create', 'after'],
    ['created, before the start', 'start', 'before'],
    ['started, before it heard of it', 'start', 'after'],
    ['exited, before it asked how', 'wait', 'before'],
    ['exited, before it heard of it', 'wait', 'after'],
    ['judged, before the container was removed', 'remove', 'before'],
    ['judged, before it heard that the container was removed', 'remove', 'after'],
  ]

  it.for(steps)('when its task was %s: it loses nothing', async ([, call, step]) => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const hold = lab.engine.holds.hold(call, step)
    const job = await lab.submit(counting(20))
    await hold.reached
    await worker.kill()
    hold.release()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })

  it('a worker that is killed and started again during the adoption of its container: the next one adopts it', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const go = latch()
    const job = await lab.submit(counting(20, go.opened))
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    await worker.kill()
    const hold = lab.engine.holds.hold('replay', 'after')
    worker.start()
    await hold.reached
    await worker.kill()
    hold.release()
    worker.start()
    go.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })

  it('a worker that is killed and started again during the transaction of the final status: it is written once', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const hold = lab.engine.holds.hold('wait', 'after')
    const job = await lab.submit(counting(20))
    await hold.reached
    const client = await lab.database.pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE', [job])
    hold.release()
    await lab.jobs.until('the final status waits for the lock', async () => {
      const { rowCount } = await lab.database.pool.query(
        `SELECT 1 FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%FROM jobs WHERE id%FOR UPDATE'`,
      )
      return rowCount === 1
    })
    await worker.kill()
    await client.query('COMMIT')
    client.release()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })
})

describe('a worker that leaves its jobs', () => {
  it('leaves running containers, which the next one adopts with all their output, also after its lease', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const go = latch()
    const job = await lab.submit(counting(20, go.opened))
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    const before = await lab.containers()
    await lab.leader.end()
    worker.leave()
    expect(await worker.ended()).toBeNull()
    expect(await lab.containers()).toMatchObject(before.map(({ id, state }) => ({ id, state })))
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', attempt: 1 })
    go.open()
    await lab.untilContainer(job, 'exited')
    await lab.expireLease('a')
    worker.start()
    await lab.untilReady(1)
    lab.startLeader()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })

  it('a worker that leaves its jobs and then a worker that only ends them: they are requeued, however often, and no other job starts', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const job = await lab.submit(endless, { maxRetries: 1 })
    for (const attempt of [1, 2, 3, 4]) {
      await lab.jobs.until('it runs', async () => (await lab.jobs.row(job)).attempt === attempt)
      await lab.jobs.until('it has printed', async () => (await lab.containers())[0]?.state === 'running')
      worker.leave()
      expect(await worker.ended()).toBeNull()
      const waiting = await lab.submit(endless)
      worker.start({ endsJobs: true })
      expect(await worker.ended()).toBeNull()
      expect(await lab.containers()).toEqual([])
      expect(await lab.jobs.row(job)).toMatchObject({ status: 'pending', attempt })
      expect(await lab.jobs.row(waiting)).toMatchObject({ status: 'pending', attempt: 0 })
      await cancel(lab, waiting)
      worker.start()
    }
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled' })
    await expectAllTrue(lab)
  })
})

describe('a container without a worker', () => {
  it('a container without a worker that ends after its time limit: it gets the status of its program', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const go = latch()
    const job = await lab.submit(counting(20, go.opened), { timeLimitS: 3600 })
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    await worker.kill()
    go.open()
    await lab.untilContainer(job, 'exited')
    await startEarlier(lab, job, 2 * 3600)
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })

  it('a container without a worker that runs after its time limit: it is stopped when a worker is back', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const job = await lab.submit(endless, { timeLimitS: 3600 })
    await lab.jobs.untilPrinted(job, /in/)
    await worker.kill()
    await startEarlier(lab, job, 2 * 3600)
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'timeout' })
    expect(await lab.jobs.records(job)).toContainEqual(
      expect.objectContaining({
        type: 'stderr',
        text: expect.stringMatching(/^gpuq: stopped: it ran longer than its time limit of 3600 s/),
      }),
    )
    await expectAllTrue(lab)
  })

  it('a container without a worker that was killed meanwhile, as when its machine goes down: its job starts again', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const job = await lab.submit(async ({ attempt, print }) => {
      await print(`attempt ${attempt}\n`)
      return attempt === 1 ? forever : 0
    })
    await lab.jobs.untilPrinted(job, /attempt 1/)
    await worker.kill()
    lab.engine.stop({ liveRestore: false })
    lab.engine.start()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    await expectAllTrue(lab)
  })

  const verbose: Script = async ({ print }) => {
    await print('in\n')
    for (;;) await print(`${'x'.repeat(1000)}\n`.repeat(1000))
  }
  const stops: [string, Script][] = [
    ['cancelled_by_user', endless],
    ['timeout', endless],
    ['output_limit', verbose],
  ]

  it.for(stops)(
    'a container without a worker that an earlier worker has stopped for %s: the reason stays',
    async ([reason, script]) => {
      const lab = await FakeLab.open()
      const worker = lab.startWorker({ node: 'a' })
      const hold = lab.engine.holds.hold('wait', 'after')
      const job = await lab.submit(script, { timeLimitS: reason === 'timeout' ? 1 : 3600 })
      await lab.jobs.untilPrinted(job, /in/)
      if (reason === 'cancelled_by_user') await cancel(lab, job)
      await hold.reached
      await lab.untilContainer(job, 'exited')
      await lab.jobs.until('the reason is stored', async () => {
        const { rowCount } = await lab.database.pool.query('SELECT 1 FROM tasks WHERE reason IS NOT NULL')
        return rowCount === 1
      })
      await worker.kill()
      hold.release()
      worker.start()
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ reason })
      const records = await lab.jobs.records(job)
      expect(records.filter(({ type }) => type === 'truncated')).toHaveLength(
        reason === 'output_limit' ? 1 : 0,
      )
      await expectAllTrue(lab)
    },
  )

  it('a container without a worker whose image was removed meanwhile: it continues', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    lab.engine.images.add('lab/image:1')
    const go = latch()
    const job = await lab.submit(counting(20, go.opened), { image: 'lab/image:1' })
    await lab.jobs.untilPrinted(job, /line 9\nline $/)
    await worker.kill()
    lab.engine.images.delete('lab/image:1')
    worker.start()
    go.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 20)
    await expectAllTrue(lab)
  })
})
