import { describe } from 'vitest'
import { addPrinting, expectUnharmed, openOwn, startLoad, untilMissed } from './testing/database-load'
import { it } from './testing/lab-test'

describe.concurrent('jobs under way do not notice that PostgreSQL', () => {
  it.for(['stop', 'kill'] as const)('gets a %s and starts again', async (end, { openLab }) => {
    const { lab, postgres } = await openOwn(openLab)
    const jobs = await startLoad(lab)
    await untilMissed(lab, () => postgres[end]())
    await postgres.startAgain()
    await addPrinting(lab, jobs)
    await expectUnharmed(lab, jobs)
  })
})
