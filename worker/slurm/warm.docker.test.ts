import { expect } from 'vitest'
import { expectAllTrue } from '../testing/truth'
import { isWarm, untilWarm } from '../testing/warm'
import { fourNodes } from './testing/slurm-cluster'
import { slurmTests } from './testing/slurm-lab'

const { it } = slurmTests({ nodes: fourNodes.slice(0, 1) })

const spec = { cpu: 1, memory_gb: 0.25 }

it('a job of Slurm runs in a warm container of its request class', async ({ openSlurmLab }) => {
  const lab = await openSlurmLab()
  await lab.startWorker('n0', { variables: { GPUQ_WARM_CONTAINERS: '4' } })
  await lab.lab.untilReady(1)
  const submit = async (changes = {}) => {
    const job = await lab.jobs.submit(isWarm, { spec: { ...spec, ...changes } })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const row = await lab.untilRow(job, 'its Slurm job has ended', ({ ended }) => ended)
    expect(row.state).toBe('COMPLETED')
    return lab.jobs.lines(job)
  }
  expect(await submit()).toEqual(['False'])
  await untilWarm(lab.lab)
  expect(await submit()).toEqual(['True'])
  // Slurm gave it another number of CPUs.
  expect(await submit({ cpu: 2 })).toEqual(['False'])
  await expectAllTrue(lab.lab)
})
