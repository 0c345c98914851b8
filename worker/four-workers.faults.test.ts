import { it } from './testing/lab-test'
import { expectHardlyIdle, expectManyJobs } from './testing/many-jobs'

it('four workers run two hundred short jobs once each, in their order, and leave no GPU idle', async ({
  openLab,
}) => {
  const lab = await openLab()
  await expectManyJobs(lab, 200, (options) => lab.jobs.submit('print("done")', options))
  await expectHardlyIdle(lab, 200)
})
