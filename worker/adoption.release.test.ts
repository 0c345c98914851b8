import { describe, expect } from 'vitest'
import { counting, expectNothingLost } from './testing/adoption'
import { cancel } from './testing/cancel'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

/** Waits until its time has run for so long, by the clock that counts it. */
function untilRanFor(lab: Lab, job: string, seconds: number): Promise<boolean> {
  return lab.jobs.until(`it has run for ${seconds} s`, async () => {
    const { rowCount } = await lab.database.pool.query(
      'SELECT 1 FROM tasks WHERE job_id = $1 AND started_at < now() - make_interval(secs => $2)',
      [job, seconds],
    )
    return rowCount === 1
  })
}

describe('a worker killed and started again', () => {
  const steps = [
    ['claimed, before there is a container', /POST \S*\/containers\/create/, 'before'],
    ['claimed, before it heard that the container was created', /POST \S*\/containers\/create/, 'after'],
    ['created, before the start', /POST \S*\/containers\/\w+\/start/, 'before'],
    ['exited, before it asked how', /GET \S*\/containers\/\w+\/json/, 'before'],
    ['judged, before the container was removed', /DELETE \S*\/containers\//, 'before'],
  ] as const

  it.concurrent.for(steps)(
    'when its task was %s, loses nothing',
    async ([, request, step], { openGatedLab }) => {
      const { lab, gate, worker } = await openGatedLab({ maxOutputMib: 4 })
      await expectNothingLost(lab, worker, gate.hold(request, step))
    },
  )

  it.concurrent('a worker killed and started again during the transaction of the final status writes it once', async ({
    openGatedLab,
  }) => {
    const { lab, gate, worker } = await openGatedLab({ maxOutputMib: 4 })
    const hold = gate.hold(/POST \S*\/containers\/\w+\/wait\?condition=not-running/, 'after')
    const job = await lab.jobs.submit(counting(20, 1))
    await hold.reached
    const letGo = await lab.holdLocks('SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE', [job])
    hold.release()
    await lab.jobs.until('the verdict waits for the lock', async () => {
      const { rows } = await lab.database.pool.query(
        `SELECT 1 FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%FROM jobs WHERE id%FOR UPDATE'`,
      )
      return rows.length > 0
    })
    await worker.kill()
    await letGo()
    worker.start()

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toHaveLength(22)
    await expectAllTrue(lab)
  })
})

describe('a container without a worker', () => {
  it.concurrent('gets the status of its program, however long the worker was away', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const job = await lab.jobs.submit(counting(20, 500), { timeLimitS: 20 })
    await lab.jobs.untilPrinted(job, /line 3\n/)
    await worker.kill()
    await lab.jobs.until('it has ended', async () => (await lab.containers())[0]?.state === 'exited')
    await untilRanFor(lab, job, 21)
    worker.start()

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab)
  })

  it.concurrent('is stopped at its time limit when a worker is back', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const job = await lab.jobs.submit('import time\nprint("in")\ntime.sleep(100)', { timeLimitS: 4 })
    await lab.jobs.untilPrinted(job, /in/)
    await worker.kill()
    await untilRanFor(lab, job, 4)
    worker.start()

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'timeout' })
    await expectAllTrue(lab)
  })

  const stops = [
    ['cancelled_by_user', 'import time\nprint("in")\ntime.sleep(100)', 120],
    ['timeout', 'import time\nprint("in")\ntime.sleep(100)', 3],
    ['output_limit', 'print("in")\nwhile True:\n    print("x" * 1000)', 120],
  ] as const

  it.concurrent.for(stops)(
    'keeps %s, for which the worker before had stopped it',
    async ([reason, code, timeLimitS], { openGatedLab }) => {
      const { lab, gate, worker } = await openGatedLab({ maxOutputMib: 4 })
      const hold = gate.hold(/POST \S*\/containers\/\w+\/wait\?condition=not-running/, 'after')
      const job = await lab.jobs.submit(code, { timeLimitS })
      await lab.jobs.untilPrinted(job, /in/)
      if (reason === 'cancelled_by_user') await cancel(lab, job)
      await hold.reached
      await lab.jobs.until(
        'the container has ended',
        async () => (await lab.containers())[0]?.state === 'exited',
      )
      await lab.jobs.until('what for is written down', async () => {
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

  it.concurrent('continues although its image was removed in the meantime', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const image = await lab.tagImage()
    const job = await lab.jobs.submit(counting(100, 100), { image })
    await lab.jobs.untilPrinted(job, /line 3\n/)
    await worker.kill()
    await lab.engine.untag(image)
    worker.start()

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toHaveLength(102)
    await expectAllTrue(lab)
  })
})
