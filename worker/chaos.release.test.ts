import { expectNothingLost, killWorker, pauseWorker } from './testing/chaos'
import { it } from './testing/lab-test'

it('no job is lost when workers are killed, stopped and disconnected from their engines in turn', async ({
  openLab,
}) => {
  const lab = await openLab()
  await expectNothingLost(lab, async ([first, second, third], submit) => {
    if (!first || !second || !third) throw new Error('no places')
    await lab.untilReady(3)
    // Two run on each node at first, and two more wait for each.
    for (let job = 0; job < 12; job++) await submit(true)
    await lab.jobs.letAllGo()
    await lab.jobs.until('jobs have printed on every node', async () => {
      const { rowCount } = await lab.database.pool.query(
        'SELECT DISTINCT node_id FROM tasks WHERE output_bytes > 0',
      )
      return rowCount === 3
    })
    third.gate.breakAll()
    await Promise.all([killWorker(first, 300), pauseWorker(second, 300)])
  })
})
