import { describe, expect } from 'vitest'
import { DatabaseGate } from './testing/database-gate'
import { it, type LabFixtures } from './testing/lab-test'
import { endless, expectMoved, expectServesAgain, shortLease } from './testing/lost-lease'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'

/** A lab whose job runs on a worker that reaches the database through a gate, and with a second, idle worker. */
async function openCutLab(openLab: LabFixtures['openLab']) {
  const lab = await openLab()
  const gate = await DatabaseGate.open(lab.database.url)
  lab.afterwards(async () => gate.close())
  const worker = await lab.startWorker({ node: 'a', databaseUrl: gate.through, variables: shortLease })
  const job = await lab.jobs.submit(endless)
  await lab.jobs.untilPrinted(job, /line 3\n/)
  await lab.startWorker({ node: 'b' })
  return { lab, gate, worker, job }
}

/** What must have been seen while one worker was out of reach. */
async function expectSafe(watch: Watch): Promise<void> {
  expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
}

// lease.db.test.ts has the other ways to lose a lease, without containers.
describe.concurrent('a worker', () => {
  it('a worker without a connection to the database stops its containers before another worker may start them', async ({
    openLab,
  }) => {
    const { lab, gate, job } = await openCutLab(openLab)
    const watch = new Watch(lab)
    gate.cut()
    await expectMoved(lab, job)
    await expectSafe(watch)
    gate.restore()
    await expectServesAgain(lab)
  })

  it('a worker whose network fails silently while it leads stops its containers, and another worker leads', async ({
    openLab,
  }) => {
    const { lab, gate, job } = await openCutLab(openLab)
    const watch = new Watch(lab)
    gate.cutSilently()
    await expectMoved(lab, job)
    await expectSafe(watch)
    gate.restore()
    await expectServesAgain(lab)
  })
})

// Alone, because of the time that is promised.
describe('a leader', () => {
  it('a leader that is suspended is followed by another at once', async ({ openLab }) => {
    const lab = await openLab()
    const leader = await lab.startWorker({ node: 'a', gpus: 0 })
    await lab.jobs.until('the first one leads', async () => leader.log.includes('leading the scheduler'))
    const other = await lab.startWorker({ node: 'b' })
    await lab.jobs.until('the other one serves', async () => other.log.includes('serving'))
    leader.signal('SIGSTOP')
    const job = await lab.jobs.submit('print("led")')
    await lab.jobs.until('it was placed', async () => (await lab.jobs.row(job)).status !== 'pending', 10_000)

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    await leader.kill()
    await expectAllTrue(lab)
  })
})
