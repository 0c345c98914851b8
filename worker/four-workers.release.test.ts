import { it } from './testing/lab-test'
import { expectHardlyIdle, expectManyJobs } from './testing/many-jobs'

it('four workers run sixty short jobs once each, in order, and leave no GPU idle', async ({ openLab }) => {
  const lab = await openLab()
  await expectManyJobs(lab, 60, (options) => lab.jobs.submit('print("done")', options))
  await expectHardlyIdle(lab, 60)
})
