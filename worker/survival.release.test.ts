import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { it } from './testing/lab-test'
import { expectGoneOn, loseContainers, reached, spec, training, untilHalfway } from './testing/training'

describe('a training on two nodes with checkpoints', () => {
  it('continues after it was preempted', async ({ openLab }) => {
    const lab = await openLab()
    const variables = { GPUQ_CHECKPOINTS_DIR: join(lab.directory, 'checkpoints') }
    for (const node of ['a', 'b']) await lab.startWorker({ node, variables })
    const job = await lab.jobs.submit(training, { spec: { ...spec, pool: 'best-effort' } })
    await untilHalfway(lab, job)
    const urgent = await lab.jobs.submit('print("first")', {
      spec: { gpu_count: 1, cpu: 0.2, memory_gb: 0.25 },
    })
    expect(await lab.jobs.untilFinal(urgent)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectGoneOn(lab, job, await reached(lab, job))
  })

  it('continues when a node that was provisioned for it is removed', async ({ openProvisionedLab }) => {
    const provisioned = await openProvisionedLab()
    const { lab } = provisioned
    await provisioned.startLeader()
    const job = await lab.jobs.submit(training, { spec: { ...spec, fresh_nodes: true } })
    await untilHalfway(lab, job)
    await provisioned.killNode(job, 1)
    await loseContainers(lab, 'fresh-1')
    await expectGoneOn(lab, job, await reached(lab, job))
    expect(await provisioned.untilEnded(job)).toMatchObject({ round: 2, problem: null })
  })
})
