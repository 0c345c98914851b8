import { describe } from 'vitest'
import { addPrinting, expectUnharmed, openOwn, startLoad, untilMissed } from './testing/database-load'
import { it } from './testing/lab-test'

describe.concurrent('running jobs continue when PostgreSQL', () => {
  it.for(['stop', 'kill'] as const)('restarts after a %s', async (end, { openLab }) => {
    const { lab, postgres } = await openOwn(openLab)
    const jobs = await startLoad(lab)
    await untilMissed(lab, () => postgres[end]())
    await postgres.startAgain()
    await addPrinting(lab, jobs)
    await expectUnharmed(lab, jobs)
  })
})
