import { describe, expect, it } from 'vitest'
import { RuntimeFault } from './runtime/runtime'
import { latch } from './runtime/testing/latch'
import { cancel } from './testing/cancel'
import { FakeLab } from './testing/fake-lab'
import { endless, forever, short } from './testing/scripts'
import { expectAllTrue, expectBooksMatchContainers, readBooks } from './testing/truth'

const byOwner = { status: 'cancelled', reason: 'cancelled_by_user' }

/** Waits until the worker of a job has recorded why it stops the container. */
async function untilBeingStopped(lab: FakeLab, job: string): Promise<void> {
  await lab.jobs.until('its worker stops it', async () => {
    const { rowCount } = await lab.database.pool.query(
      'SELECT 1 FROM tasks WHERE job_id = $1 AND reason IS NOT NULL',
      [job],
    )
    return rowCount === 1
  })
}

async function untilNodeIs(lab: FakeLab, status: string): Promise<void> {
  await lab.jobs.until(`the node is ${status}`, async () => {
    const { rowCount } = await lab.database.pool.query('SELECT 1 FROM nodes WHERE status = $1', [status])
    return rowCount === 1
  })
}

describe('a job is cancelled', () => {
  it('a job is cancelled while it waits and while it runs, by an admin and by its owner, also repeatedly', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const running = await lab.submit(endless)
    await lab.jobs.untilPrinted(running, /in/)
    const waiting = await lab.submit(endless)
    await lab.jobs.until(
      'it waits for a GPU',
      async () => (await lab.jobs.row(waiting)).reason === 'no_free_gpu',
    )
    await cancel(lab, waiting, 'admin')
    expect(await lab.jobs.row(waiting)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_admin' })
    await cancel(lab, running)
    await cancel(lab, running)
    expect(await lab.jobs.untilFinal(running)).toMatchObject(byOwner)
    await expectAllTrue(lab)
  })

  it('a job is cancelled while it is placed on a node whose worker is suspended', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    await lab.untilReady(1)
    worker.suspend()
    const placed = await lab.submit(endless)
    await lab.jobs.untilStatus(placed, 'scheduled')
    await cancel(lab, placed)
    expect(await lab.jobs.row(placed)).toMatchObject({ ...byOwner, attempt: 1 })
    worker.resume()
    await expectAllTrue(lab)
  })

  const early = [
    ['while its image is looked for', 'ensureImage', 'before'],
    ['while its container is created', 'create', 'after'],
    ['while its container starts', 'start', 'after'],
  ] as const

  it.for(early)('%s', async ([, call, step]) => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const hold = lab.engine.holds.hold(call, step)
    const job = await lab.submit(short)
    await hold.reached
    await cancel(lab, job)
    await untilBeingStopped(lab, job)
    hold.release()
    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    await expectAllTrue(lab)
  })

  const late = [
    ['when its container has ended and its worker does not know it', 'after'],
    ['when its worker is about to ask how its container ended', 'before'],
  ] as const

  it.for(late)('%s: the status is that of the program or of the cancellation', async ([, step]) => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const hold = lab.engine.holds.hold('wait', step)
    const job = await lab.submit(short)
    await hold.reached
    await cancel(lab, job)
    hold.release()
    const end = await lab.jobs.untilFinal(job)
    if (end.status === 'completed') expect(end).toMatchObject({ reason: 'finished', exitCode: 0 })
    else expect(end).toMatchObject(byOwner)
    await expectAllTrue(lab)
  })

  it('a job is cancelled when it has its final status and its container is being removed: the cancellation is refused', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const hold = lab.engine.holds.hold('remove', 'before')
    const job = await lab.submit(short)
    await hold.reached
    await expect(cancel(lab, job)).rejects.toThrow('already ended')
    hold.release()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', reason: 'finished' })
    await expectAllTrue(lab)
  })

  it('a job is cancelled while its image is pulled, without waiting for the pull', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const hold = lab.engine.holds.hold('pull', 'before')
    const job = await lab.submit(endless, { image: 'localhost:1/nowhere:1' })
    await hold.reached
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    hold.release()
    await expectAllTrue(lab)
  })

  it('although its worker was killed after the request', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const job = await lab.submit(endless)
    await lab.jobs.untilPrinted(job, /in/)
    worker.suspend()
    await cancel(lab, job)
    await worker.kill()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    await expectAllTrue(lab)
  })

  it('although its program ignores SIGTERM', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const job = await lab.submit(async ({ print, ignoreTermination }) => {
      ignoreTermination()
      await print('deaf\n')
      return forever
    })
    await lab.jobs.untilPrinted(job, /deaf/)
    await cancel(lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ ...byOwner, exitCode: 137 })
    await expectAllTrue(lab)
  })

  it('a job is cancelled and its program saves its work on SIGTERM: its last output is stored', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const saved = latch()
    const job = await lab.submit(async ({ print, catchTermination }) => {
      const told = catchTermination()
      await print('in\n')
      await told
      await saved.opened
      await print('saved\n')
      return 0
    })
    await lab.jobs.untilPrinted(job, /in/)
    await cancel(lab, job)
    await untilBeingStopped(lab, job)
    saved.open()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ ...byOwner, exitCode: 0 })
    expect(await lab.jobs.lines(job)).toEqual(['in', 'saved'])
    await expectAllTrue(lab)
  })
})

describe('a container that cannot be killed', () => {
  it('drains the node and keeps its GPU until it is gone, also after a restart of the worker', async () => {
    const lab = await FakeLab.open()
    const worker = lab.startWorker({ node: 'a' })
    const job = await lab.submit(endless)
    await lab.jobs.untilPrinted(job, /in/)
    lab.engine.setUnkillable(true)
    await cancel(lab, job)

    expect(await lab.jobs.untilFinal(job)).toMatchObject(byOwner)
    await expectBooksMatchContainers(lab)
    expect(await readBooks(lab)).toHaveLength(1)
    const { rows } = await lab.database.pool.query('SELECT status, warnings FROM nodes')
    const warning = expect.stringContaining('could not be killed')
    expect(rows).toEqual([{ status: 'draining', warnings: expect.arrayContaining([warning]) }])
    const next = await lab.submit(short)
    await lab.jobs.until(
      'it has to wait',
      async () => (await lab.jobs.row(next)).reason === 'node_unavailable',
    )

    await worker.kill()
    const hold = lab.engine.holds.hold('stop', 'before')
    worker.start()
    await hold.reached
    hold.release()
    await lab.jobs.until('the new worker reports it', async () => {
      const { rowCount } = await lab.database.pool.query(
        `SELECT 1 FROM nodes WHERE status = 'draining' AND array_to_string(warnings, ' ') LIKE '%could not be killed%'`,
      )
      return rowCount === 1
    })
    expect(await readBooks(lab)).toHaveLength(1)
    lab.engine.setUnkillable(false)
    await lab.jobs.until('the GPU is free', async () => (await readBooks(lab)).length === 0)
    await worker.kill()
    worker.start()
    expect(await lab.jobs.untilFinal(next)).toMatchObject({ status: 'completed' })
    await expectAllTrue(lab)
  })

  it('delays the retry of its job until it is gone', async () => {
    const lab = await FakeLab.open()
    lab.startWorker({ node: 'a' })
    const hold = lab.engine.holds.hold('start', 'after')
    const job = await lab.submit(endless, { maxRetries: 1 })
    await hold.reached
    lab.engine.setUnkillable(true)
    hold.fail(new RuntimeFault('engine_error', 'Internal server error.'))

    await untilNodeIs(lab, 'draining')
    expect(await lab.jobs.untilStatus(job, 'running')).toMatchObject({ attempt: 1 })
    await expectBooksMatchContainers(lab)
    lab.engine.setUnkillable(false)
    await lab.jobs.until(
      'it goes back to the queue',
      async () => (await lab.jobs.row(job)).status === 'pending',
    )
    await lab.jobs.until('its container is gone', async () => (await lab.containers()).length === 0)
    await cancel(lab, job)
    await expectAllTrue(lab)
  })
})
