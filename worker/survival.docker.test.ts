import { join } from 'node:path'
import { describe } from 'vitest'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectGoneOn, loseContainers, reached, spec, training, untilHalfway } from './testing/training'

describe('a training on two nodes with checkpoints', () => {
  it('continues on another machine when one is lost', async ({ openLab }) => {
    const lab = await openLab()
    const variables = { GPUQ_CHECKPOINTS_DIR: join(lab.directory, 'checkpoints') }
    const workers = new Map<string, Awaited<ReturnType<Lab['startWorker']>>>()
    for (const node of ['a', 'b', 'c']) workers.set(node, await lab.startWorker({ node, variables }))
    const job = await lab.jobs.submit(training, { spec })
    await untilHalfway(lab, job)
    const { rows } = await lab.database.pool.query<{ node: string }>(
      'SELECT n.name AS node FROM tasks t JOIN nodes n ON n.id = t.node_id WHERE t.job_id = $1 AND t.rank = 1',
      [job],
    )
    const lost = rows[0]?.node ?? ''
    await workers.get(lost)?.kill()
    await loseContainers(lab, lost)
    await lab.expireLease(lost)
    const last = await reached(lab, job)
    workers.get(lost)?.start()
    await expectGoneOn(lab, job, last)
  })
})
