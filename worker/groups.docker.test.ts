import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { checkpointsOf, pausable, pausingKeys, submitGroup } from './testing/groups'
import { it } from './testing/lab-test'
import { expectAllTrue, expectBooksMatchContainers } from './testing/truth'

/** Lets a member that continues wait for a file. */
const untilFile = `while not os.path.exists(home + "/go"): time.sleep(0.05)`

it('a group with asha and resume on one GPU: a member that loses is paused without a GPU, continues from its checkpoint when it is among the best, and the others end with their group', async ({
  openLab,
}) => {
  const lab = await openLab()
  await lab.startWorker({ node: 'a' })
  const group = await submitGroup(lab, pausable(untilFile), pausingKeys)
  const jobOf = async (index: number) => (await group.members())[index]?.job_id ?? ''
  await lab.jobs.until('the third member continues', async () => {
    const { status, attempt } = await lab.jobs.row(await jobOf(2)).catch(() => ({ status: null, attempt: 0 }))
    return status === 'running' && attempt === 2
  })
  // The GPU is that of the member that continues.
  await expectBooksMatchContainers(lab)
  expect(await group.read()).toMatchObject({ counts: { completed: 1, running: 1, paused: 2, pending: 0 } })
  for (const [index, reason] of [
    [1, 'Paused at step 2: loss 3 is worse than that of 1 of 2 members. The best 1 of 2 go on.'],
    [3, 'Paused at step 2: loss 9 is worse than that of 3 of 4 members. The best 2 of 4 go on.'],
  ] as const)
    expect(await lab.jobs.row(await jobOf(index))).toMatchObject({
      status: 'pending',
      reason: 'group_paused',
      reasonDetail: reason,
      attempt: 1,
    })
  await writeFile(join(await checkpointsOf(lab, '2'), 'go'), '')
  await lab.jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
  expect(await group.read()).toMatchObject({
    status: 'completed',
    counts: { completed: 2, cancelled: 2, paused: 0, pending: 0 },
  })
  const continued = await jobOf(2)
  expect(await lab.jobs.lines(continued)).toEqual(['from 2', '{"step": 3, "loss": 2}'])
  const { rows } = await lab.database.pool.query(
    'SELECT attempt, reason FROM tasks WHERE job_id = $1 ORDER BY attempt',
    [continued],
  )
  expect(rows).toEqual([
    { attempt: 1, reason: 'group_paused' },
    { attempt: 2, reason: 'finished' },
  ])
  for (const index of [1, 3])
    expect(await lab.jobs.row(await jobOf(index))).toMatchObject({
      status: 'cancelled',
      reason: 'stopped_early',
      attempt: 1,
    })
  await expectAllTrue(lab)
})
