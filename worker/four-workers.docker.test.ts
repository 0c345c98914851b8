import { it } from './testing/lab-test'
import { expectManyJobs } from './testing/many-jobs'

it('four workers run sixty short jobs once each, in order, and leave no GPU idle', async ({ openLab }) => {
  await expectManyJobs(await openLab(), 60)
})
