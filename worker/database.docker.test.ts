import { describe } from 'vitest'
import { testedValues } from '@/lib/env/testing/test-matrix'
import { addPrinting, expectUnharmed, openOwn, startLoad, untilMissed } from './testing/database-load'
import { it } from './testing/lab-test'

/** How PostgreSQL ends. */
const ends = testedValues<'kill' | 'stop'>(['kill'], ['stop'])

describe.concurrent('running jobs continue when PostgreSQL', () => {
  it.for(ends)('restarts after a %s', async (end, { openLab }) => {
    const { lab, postgres } = await openOwn(openLab)
    const jobs = await startLoad(lab)
    await untilMissed(lab, () => postgres[end]())
    await postgres.startAgain()
    await addPrinting(lab, jobs)
    await expectUnharmed(lab, jobs)
  })
})
