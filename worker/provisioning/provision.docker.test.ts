import { describe, expect } from 'vitest'
import { it } from '../testing/lab-test'

const spec = { fresh_nodes: true, gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }

// provision.db.test.ts has the faults of nodes, commands and provisioners, without containers.
describe('nodes provisioned for one job', () => {
  it('run it, show the output of their commands, and are removed after it', async ({
    openProvisionedLab,
  }) => {
    const provisioned = await openProvisionedLab()
    const { lab } = provisioned
    await provisioned.startLeader()
    const job = await lab.jobs.submit('print("fresh")', { spec })
    const other = await lab.jobs.submit('print("other")', { spec: { ...spec, fresh_nodes: false } })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.task(job)).toMatchObject({ node: 'fresh-0' })
    expect(await lab.jobs.untilFinal(other)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.task(other)).toMatchObject({ node: 'leader' })
    expect(await provisioned.untilEnded(job)).toMatchObject({
      problem: null,
      round: 1,
      output: 'node fresh-0 is coming up\nall gone\n',
    })
    expect(await lab.jobs.lines(job)).toEqual(['fresh'])
  })
})
