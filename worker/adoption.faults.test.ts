import { expectAdopted } from './testing/adoption'
import { it } from './testing/lab-test'

it('a worker killed and started again ten times goes on with the same process, and no line is missing or doubled', async ({
  openLab,
}) => {
  await expectAdopted(await openLab(), 10)
})
