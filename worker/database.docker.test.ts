import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { Lab } from './testing/lab'
import { OwnPostgres } from './testing/own-postgres'
import { expectAllTrue } from './testing/truth'

const labs: Lab[] = []
afterAll(() => Promise.all(labs.map((lab) => lab.close())))

async function openLab() {
  const postgres = await OwnPostgres.start()
  const lab = await Lab.open({ url: postgres.url })
  labs.push(lab)
  lab.afterDatabase(() => postgres.remove())
  return { lab, postgres }
}

const lines = 150
const load = `
import time
for i in range(${lines}):
    print("line", i)
    time.sleep(0.01)`

/** Jobs that start, print and end all the time, on two nodes. */
async function startLoad(lab: Lab): Promise<string[]> {
  await lab.startWorker({ node: 'a', gpus: 3 })
  await lab.startWorker({ node: 'b', gpus: 3 })
  const jobs: string[] = []
  for (let i = 0; i < 24; i++) jobs.push(await lab.jobs.submit(load))
  await lab.jobs.until('the first ones have ended', async () => {
    const rows = await Promise.all(jobs.map((job) => lab.jobs.row(job)))
    return rows.filter(({ status }) => status === 'completed').length > 2
  })
  return jobs
}

/** Nothing was tried a second time, and nothing that any of them printed is missing. */
async function expectUnharmed(lab: Lab, jobs: string[]): Promise<void> {
  for (const job of jobs) {
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(Array.from({ length: lines }, (_, i) => `line ${i}`))
  }
  await expectAllTrue(lab)
}

describe.concurrent('jobs under way do not notice that PostgreSQL', () => {
  it('is restarted, twice', async () => {
    const { lab, postgres } = await openLab()
    const jobs = await startLoad(lab)
    for (let i = 0; i < 2; i++) {
      await postgres.stop()
      await sleep(1_000)
      await postgres.startAgain()
      await sleep(2_000)
    }
    await expectUnharmed(lab, jobs)
  })

  it('is killed, three times', async () => {
    const { lab, postgres } = await openLab()
    const jobs = await startLoad(lab)
    for (let i = 0; i < 3; i++) {
      await postgres.kill()
      await sleep(500)
      await postgres.startAgain()
      await sleep(1_500)
    }
    await expectUnharmed(lab, jobs)
  })
})
