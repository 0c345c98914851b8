import { describe, expect } from 'vitest'
import { expectAllTrue } from '../testing/truth'
import { slurmTests } from './testing/slurm-lab'

const { it } = slurmTests({ nodes: [{ name: 'n0', gpus: 2, gpuType: 'a100', shards: 8 }] })

const spec = { cpu: 1, memory_gb: 0.25 }
const variables = { GPUQ_SLURM_SHARDS_PER_GPU: '4' }

describe('a Slurm cluster with types and shards of GPUs', { concurrent: false }, () => {
  it('gives fractions of a GPU, and refuses what it does not have', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startWorker('n0', { gpus: 2, variables })
    await lab.lab.untilReady(1)
    const half = await lab.jobs.submit('print("half")', { spec: { ...spec, gpu_fraction: 0.5 } })
    expect(await lab.jobs.untilFinal(half)).toMatchObject({ status: 'completed', attempt: 1 })
    const { rows } = await lab.lab.database.pool.query('SELECT milli FROM allocations')
    expect(rows).toEqual([{ milli: 500 }])
    const typed = await lab.jobs.submit('print("typed")', {
      spec: { ...spec, gpu_count: 2, gpu_model: 'A100' },
    })
    expect(await lab.jobs.untilFinal(typed)).toMatchObject({ status: 'completed' })
    const other = await lab.jobs.submit('print(1)', { spec: { ...spec, gpu_model: 'H100' } })
    expect(await lab.jobs.untilFinal(other)).toMatchObject({
      status: 'failed',
      reason: 'slurm_refused',
      reasonDetail: expect.stringContaining('It has a100.'),
    })
    const huge = await lab.jobs.submit('print(1)', { spec: { ...spec, gpu_count: 64 } })
    expect(await lab.jobs.untilFinal(huge)).toMatchObject({
      status: 'failed',
      reason: 'slurm_refused',
      reasonDetail: 'It asks for 64 GPUs, and the largest node of the Slurm partition "main" has 2.',
    })
    for (const job of [half, typed]) await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })
})
