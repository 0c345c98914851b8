import { expect, vi } from 'vitest'
import { registerAllEngines } from '@/lib/engines'
import { expectAllTrue } from '../testing/truth'
import { upload } from '../testing/upload'
import { fourNodes } from './testing/slurm-cluster'
import { slurmTests } from './testing/slurm-lab'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_ENGINE', 'slurm')
})
registerAllEngines()

const { it, cluster } = slurmTests({
  nodes: fourNodes.slice(0, 2).map((node) => ({ ...node, gpus: 4 })),
})

it('a job that no nodes of its partition can ever run is refused, also if Slurm does not answer meanwhile', async ({
  openSlurmLab,
}) => {
  const lab = await openSlurmLab()
  await lab.startWorkers('n0', 'n1')
  const untilKnown = (column: 'read_at' | 'problem', what: string) =>
    lab.jobs.until(what, async () => {
      const query = `SELECT 1 FROM slurm_cluster WHERE ${column} IS NOT NULL`
      return (await lab.lab.database.pool.query(query)).rowCount === 1
    })
  await untilKnown('read_at', 'gpuq has read the cluster')
  for (const [keys, nearest, why] of [
    [
      { instance_count: 3 },
      'instance_count: 2',
      'it asks for 3 nodes, and the Slurm partition "main" has 2 nodes',
    ],
    [
      { gpu_count: 8 },
      'gpu_count: 4',
      'it asks for 8 GPUs, and the largest node of the Slurm partition "main" has 4',
    ],
    [
      { cpu: 17 },
      'cpu: 16',
      'it asks for 17 CPUs, and the largest node of the Slurm partition "main" has 16',
    ],
    [
      { memory_gb: 20 },
      'memory_gb: 19.5',
      'it asks for 20 GB of memory, and the largest node of the Slurm partition "main" has 19.5 GB',
    ],
  ] as const)
    await expect(upload(lab.lab, 'print(1)', keys)).rejects.toMatchObject({
      code: 'never_fits',
      message: `This job cannot start: ${why}. The nearest request that fits: ${nearest}.`,
    })
  const fits = await upload(lab.lab, 'print(1)', {
    instance_count: 2,
    gpu_count: 4,
    cpu: 16,
    memory_gb: 19.5,
  })
  expect(await lab.jobs.untilFinal(fits)).toMatchObject({ status: 'completed' })
  await lab.untilRow(fits, 'its row ends', ({ ended }) => ended)

  // Minutes. gpuq's own limit of a job, with the time to prepare and end it, is higher.
  await cluster().run('scontrol', ['update', 'PartitionName=main', 'MaxTime=15'])
  await lab.jobs.until('gpuq knows the time limit of the partition', async () => {
    const query = `SELECT 1 FROM slurm_cluster WHERE partitions::text LIKE '%"maxTimeS": 900%'`
    return (await lab.lab.database.pool.query(query)).rowCount === 1
  })
  await expect(upload(lab.lab, 'print(1)', { max_time: 901 })).rejects.toMatchObject({
    message:
      'This job cannot start: its max_time is 901 s, and the Slurm partition "main" allows 900 s. The nearest request that fits: max_time: 900.',
  })
  const short = await upload(lab.lab, 'print(1)', { cpu: 1, memory_gb: 0.25 })
  expect(await lab.jobs.untilFinal(short)).toMatchObject({ status: 'completed' })
  await lab.untilRow(short, 'its row ends', ({ ended }) => ended)

  await cluster().endController('SIGTERM')
  await untilKnown('problem', 'gpuq knows that Slurm does not answer')
  const spec = { cpu: 1, memory_gb: 0.25, instance_count: 3 }
  const job = await lab.jobs.submit('print(1)', { spec, maxRetries: 0 })
  await lab.jobs.until(
    'it waits for Slurm',
    async () => (await lab.jobs.row(job)).reason === 'slurm_unreachable',
  )
  await cluster().startController()
  expect(await lab.jobs.untilFinal(job)).toMatchObject({
    status: 'failed',
    reason: 'slurm_refused',
    reasonDetail: 'It asks for 3 nodes, and the Slurm partition "main" has 2 nodes.',
  })
  expect(await lab.submissions(job)).toEqual([])
  await expectAllTrue(lab.lab)
})
