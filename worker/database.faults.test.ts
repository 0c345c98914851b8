import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import { addPrinting, expectUnharmed, openOwn, startLoad } from './testing/database-load'
import { it } from './testing/lab-test'

const faults = [
  ['is restarted, twice', 'stop', 2],
  ['is killed, three times', 'kill', 3],
] as const

describe.concurrent('jobs under way do not notice that PostgreSQL', () => {
  it.for(faults)('%s', async ([, end, times], { openLab }) => {
    const { lab, postgres } = await openOwn(openLab)
    const jobs = await startLoad(lab, 24)
    for (let i = 0; i < times; i++) {
      await postgres[end]()
      await sleep(Math.random() * 1_000)
      await postgres.startAgain()
      await sleep(Math.random() * 2_000)
      await addPrinting(lab, jobs)
    }
    await expectUnharmed(lab, jobs)
  })
})
