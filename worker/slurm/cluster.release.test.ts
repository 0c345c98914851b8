import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../testing/until'
import { SlurmCluster } from './testing/slurm-cluster'

let slurm: SlurmCluster
beforeAll(async () => {
  slurm = await SlurmCluster.start()
})
afterAll(() => slurm?.stop())

async function stateOf(id: string): Promise<string> {
  return (await slurm.run('squeue', ['--noheader', '--states=all', '--format=%T', `--jobs=${id}`])).trim()
}

async function submit(...args: string[]): Promise<string> {
  return (await slurm.run('sbatch', ['--parsable', '--output=/dev/null', ...args])).trim()
}

test('runs a job on two nodes with all their simulated GPUs', async () => {
  const id = await submit('--nodes=2', '--gpus-per-node=8', '--wrap=test "$SLURM_JOB_GPUS" = 0,1,2,3,4,5,6,7')
  expect(await until('the job ends', async () => (/FAILED|COMPLETED/.exec(await stateOf(id)) ?? [])[0])).toBe(
    'COMPLETED',
  )
})

test('a job survives kill -9 of slurmctld, and ends with its node', async () => {
  const id = await submit('--nodelist=n3', '--gpus-per-node=1', '--no-requeue', '--wrap=sleep 1000')
  await until('the job runs', async () => (await stateOf(id)) === 'RUNNING')
  await slurm.saved()
  await slurm.endController('SIGKILL')
  await slurm.startController()
  expect(await stateOf(id)).toBe('RUNNING')
  await slurm.crashNode('n3')
  await slurm.run('scontrol', ['update', 'nodename=n3', 'state=down', 'reason=crashed'])
  await until('Slurm ends the job', async () => (await stateOf(id)) === 'NODE_FAIL')
  await slurm.startNode('n3')
  await slurm.idle()
})
