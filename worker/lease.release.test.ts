import { describe, expect } from 'vitest'
import { DatabaseGate } from './testing/database-gate'
import { it } from './testing/lab-test'
import { endless, expectMoved, expectServesAgain, shortLease } from './testing/lost-lease'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

describe.concurrent('a worker', () => {
  it('a worker that was stopped until its lease expired finds that another worker has its job', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a', variables: shortLease })
    const job = await lab.jobs.submit(endless)
    await lab.jobs.untilPrinted(job, /line 3\n/)
    await lab.startWorker({ node: 'b' })
    const watch = new Watch(lab)
    worker.signal('SIGSTOP')
    await expectMoved(lab, job)
    worker.signal('SIGCONT')
    await expectServesAgain(lab)
    // A stopped process cannot stop its container: until it goes on, the old attempt runs beside the new one.
    expect(await watch.stop()).toMatchObject({ gpusTwice: [], falseBooks: [] })
  })

  it('a worker that is killed loses its job to another, and its container is removed when it comes back', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const job = await lab.jobs.submit(endless)
    await lab.jobs.untilPrinted(job, /line 3\n/)
    await lab.startWorker({ node: 'b' })
    const watch = new Watch(lab)
    await worker.kill()
    await lab.expireLease('a')
    await expectMoved(lab, job)
    worker.start()
    await expectServesAgain(lab)
    expect(await watch.stop()).toMatchObject({ gpusTwice: [], falseBooks: [] })
  })

  it('a worker that loses the database for a short time continues', async ({ openLab }) => {
    const lab = await openLab()
    const gate = await DatabaseGate.open(lab.database.url)
    lab.afterwards(async () => gate.close())
    const worker = await lab.startWorker({ node: 'a', databaseUrl: gate.through })
    const code = 'import time\nfor i in range(120):\n    print("line", i)\n    time.sleep(0.1)'
    const job = await lab.jobs.submit(code)
    await lab.jobs.untilPrinted(job, /line 3\n/)
    gate.cut()
    await lab.jobs.until('a renewal was missed', async () => worker.log.includes('could not renew the lease'))
    gate.restore()

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(Array.from({ length: 120 }, (_, i) => `line ${i}`))
    await expectAllTrue(lab)
  })

  it('started twice with one name: the later one takes over, and the container continues', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const first = await lab.startWorker({ node: 'a' })
    const code = 'import time\nfor i in range(100):\n    print("line", i)\n    time.sleep(0.1)'
    const job = await lab.jobs.submit(code)
    await lab.jobs.untilPrinted(job, /line 3\n/)
    await lab.startWorker({ node: 'a' })
    expect(await first.ended()).toBe(1)
    expect(first.log).toContain('took over')

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(Array.from({ length: 100 }, (_, i) => `line ${i}`))
    await expectAllTrue(lab)
  })

  it('a worker that was stopped as the leader while it stored a result does not undo the work of its successor', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const leader = await lab.startWorker({ node: 'a' })
    const letGo = await lab.holdLocks('LOCK TABLE result_files IN SHARE ROW EXCLUSIVE MODE')
    const job = await lab.jobs.submit('for i in range(1000):\n    print("line", i)')
    await lab.jobs.until('the leader is about to store the result', async () => {
      const { rowCount } = await lab.database.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO result_files%' AND datname = current_database()`,
      )
      return rowCount === 1
    })
    leader.signal('SIGSTOP')
    await letGo()
    await lab.startWorker({ node: 'b', gpus: 0 })
    const stored = await lab.jobs.file(job)
    leader.signal('SIGCONT')
    // Logged once all that it did as the leader has come to its end.
    await lab.jobs.until('the leader has seen that it is none', async () =>
      leader.log.includes('no longer leading'),
    )

    expect(await lab.jobs.lines(job)).toHaveLength(1000)
    expect((await lab.jobs.file(job)).equals(stored)).toBe(true)
    await expectAllTrue(lab)
  })
})

// Alone, because of the time that is promised.
describe('a leader', () => {
  it('a leader that is killed is followed by another at once', async ({ openLab }) => {
    const lab = await openLab()
    const leader = await lab.startWorker({ node: 'a', gpus: 0 })
    await lab.jobs.until('the first one leads', async () => leader.log.includes('leading the scheduler'))
    const other = await lab.startWorker({ node: 'b' })
    await lab.jobs.until('the other one serves', async () => other.log.includes('serving'))
    leader.signal('SIGKILL')
    const job = await lab.jobs.submit('print("led")')
    await lab.jobs.until('it was placed', async () => (await lab.jobs.row(job)).status !== 'pending', 10_000)

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    await leader.kill()
    await expectAllTrue(lab)
  })
})
