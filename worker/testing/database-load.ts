import { expect } from 'vitest'
import type { Lab } from './lab'
import type { LabFixtures } from './lab-test'
import { OwnPostgres } from './own-postgres'
import { expectAllTrue } from './truth'

/** A lab on a PostgreSQL of its own. */
export async function openOwn(openLab: LabFixtures['openLab']) {
  const postgres = await OwnPostgres.start()
  const lab = await openLab({ url: postgres.url })
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
export async function startLoad(lab: Lab, count = 12): Promise<string[]> {
  await lab.startWorker({ node: 'a', gpus: 3 })
  await lab.startWorker({ node: 'b', gpus: 3 })
  const jobs: string[] = []
  for (let i = 0; i < count; i++) jobs.push(await lab.jobs.submit(load))
  await lab.jobs.until('the first ones have ended', async () => {
    const rows = await Promise.all(jobs.map((job) => lab.jobs.row(job)))
    return rows.filter(({ status }) => status === 'completed').length > 2
  })
  return jobs
}

/** Nothing was tried a second time, and nothing that any of them printed is missing. */
export async function expectUnharmed(lab: Lab, jobs: string[]): Promise<void> {
  for (const job of jobs) {
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(Array.from({ length: lines }, (_, i) => `line ${i}`))
  }
  await expectAllTrue(lab)
}

/** Disturbs the database, and waits until every worker has missed it. */
export async function untilMissed(lab: Lab, disturb: () => Promise<void>): Promise<void> {
  const before = lab.workers.map(({ log }) => log.length)
  await disturb()
  await lab.jobs.until('every worker has missed its database', () =>
    Promise.resolve(lab.workers.every(({ log }, i) => log.slice(before[i]).includes('trying again'))),
  )
}

/** Submits one more job and waits until it prints: the database is used again. */
export async function addPrinting(lab: Lab, jobs: string[]): Promise<void> {
  const job = await lab.jobs.submit(load)
  jobs.push(job)
  await lab.jobs.untilPrinted(job, /line 3\n/)
}
