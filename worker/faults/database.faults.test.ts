import { expect } from 'vitest'
import { counting, expectCounted } from '../testing/adoption'
import { openOwn } from '../testing/database-load'
import { upload } from '../testing/upload'
import { testFault } from './fault'

const faults = [
  ['PostgreSQL is restarted under load', 'stop'],
  ['PostgreSQL is killed under load', 'kill'],
] as const

for (const [name, end] of faults) {
  testFault({
    name,
    checked: 'no attempt lost; both streams complete and exact',
    places: 2,
    async open({ openLab }) {
      const place = await openOwn(openLab)
      for (const node of ['a', 'b']) await place.lab.startWorker({ node, gpus: 3 })
      await place.lab.untilReady(2)
      return place
    },
    async happen({ lab, postgres }, moment) {
      const jobs = new Map<string, number>()
      for (let i = 0; i < 10; i++) {
        const lines = moment.between(1, 100)
        const code = counting(lines, moment.between(1, 20))
        jobs.set(await upload(lab, code, { cpu: 0.1, memory_gb: 0.1, max_retries: 0 }), lines)
      }
      await moment.wait(2_000)
      moment.strike()
      await postgres[end]()
      await moment.wait(1_500)
      await postgres.startAgain()
      for (const [job, lines] of jobs) {
        const ended = await lab.jobs.untilFinal(job)
        expect(ended, await lab.jobs.describe(job)).toMatchObject({ status: 'completed', attempt: 1 })
        await expectCounted(lab, job, lines)
      }
    },
  })
}
