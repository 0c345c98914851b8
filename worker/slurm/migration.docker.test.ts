import { expect } from 'vitest'
import { expectAllTrue } from '../testing/truth'
import { type SlurmLab, slurmTests } from './testing/slurm-lab'

const { it, cluster } = slurmTests({ nodes: [{ name: 'n0', gpus: 8, shards: 0 }] })

const spec = { cpu: 1, memory_gb: 0.25, gpu_count: 2 }

/** As the page Cluster stops and starts the scheduler. */
async function setScheduler(lab: SlurmLab, running: boolean): Promise<void> {
  await lab.lab.database.pool.query('UPDATE policies SET running = $1', [running])
  await lab.lab.database.pool.query('NOTIFY gpuq_queue')
}

/** The steps of "Move from one engine to the other" in the admin guide, there and back. */
it('waiting jobs move from one engine to the other, and ended jobs stay', async ({ openSlurmLab }) => {
  const lab = await openSlurmLab()
  const { jobs } = lab
  const builtin = await lab.lab.startWorker({ node: 'n0', gpus: 8 })
  const first = await jobs.submit('print("under builtin")', { spec })
  expect(await jobs.untilFinal(first)).toMatchObject({ status: 'completed' })
  await setScheduler(lab, false)
  const second = await jobs.submit('print("under slurm")', { spec })
  await jobs.until('it waits', async () => (await jobs.row(second)).reason === 'stopped')

  await builtin.kill()
  const [onSlurm] = await lab.startWorkers('n0')
  expect(await lab.rows(second)).toEqual([])
  await setScheduler(lab, true)
  expect(await jobs.untilFinal(second)).toMatchObject({ status: 'completed', attempt: 1 })
  await lab.untilRow(second, 'its row ends', ({ ended }) => ended)

  await cluster().run('scontrol', ['update', 'NodeName=n0', 'State=DRAIN', 'Reason=moving'])
  const third = await jobs.submit('print("under builtin again")', { spec })
  const slurmId = await lab.untilSubmitted(third)
  await setScheduler(lab, false)
  await onSlurm?.kill()
  await lab.lab.startWorker({ node: 'n0', gpus: 8 })
  await lab.lab.untilReady(1)
  await cluster().run('scancel', ['--user=root', '--state=PENDING'])
  expect(await lab.field(slurmId, 'JobState')).toBe('CANCELLED')
  expect((await jobs.row(third)).status).toBe('pending')
  await setScheduler(lab, true)
  expect(await jobs.untilFinal(third)).toMatchObject({ status: 'completed', attempt: 1 })
  expect(await jobs.lines(first)).toEqual(['under builtin'])
  await expectAllTrue(lab.lab)
})
