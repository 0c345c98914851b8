import { afterAll, beforeAll, expect } from 'vitest'
import { slurmClient } from '@/lib/slurm/client/slurm'
import type { SlurmClient } from '@/lib/slurm/client/slurm-client'
import { cancel } from '../testing/cancel'
import { it as test } from '../testing/lab-test'
import { expectAllTrue } from '../testing/truth'
import { until } from '../testing/until'
import { fourNodes, SlurmCluster } from './testing/slurm-cluster'
import { SlurmLab } from './testing/slurm-lab'

let slurm: SlurmCluster
let client: SlurmClient
beforeAll(async () => {
  slurm = await SlurmCluster.start({ nodes: fourNodes.slice(0, 1), accounting: true })
  client = slurmClient({}, { ...process.env, ...slurm.env })
})
afterAll(() => slurm?.stop())

async function submit(...args: string[]): Promise<number> {
  return Number(await slurm.run('sbatch', ['--parsable', '--output=/dev/null', ...args]))
}

test('the accounting knows how jobs ended that the controller has forgotten', async () => {
  expect(await client.hasAccounting()).toBe(true)
  const odd = 'we|rd "name" é'
  const failed = await submit('--comment=gpuq:one', `--job-name=${odd}`, '--gres=gpu:2', '--wrap=exit 3')
  const killed = await submit('--comment=gpuq:two', '--wrap=kill -9 $$')
  const cancelled = await submit('--hold', '--wrap=true')
  await slurm.run('scancel', [String(cancelled)])
  const running = await submit('--wrap=sleep 1000')
  const ids = [failed, killed, cancelled, running, 999_999]
  const found = await until('the accounting has the ends of three jobs', async () => {
    const ended = await client.findEnded(ids)
    // slurmdbd writes the end of a job before its partition and name.
    return ended.length === 3 && ended.every(({ partition }) => partition !== '') ? ended : null
  })
  // A controller that lost its state has forgotten every job.
  await slurm.endController('SIGTERM')
  await slurm.wipeState()
  await slurm.startController()
  expect((await client.listJobs()).filter(({ id }) => id === failed)).toEqual([])
  const after = await client.findEnded(ids)
  expect(after.filter(({ id }) => id !== running)).toEqual(found)
  expect(found.find(({ id }) => id === failed)).toMatchObject({
    state: 'FAILED',
    exitCode: 3,
    comment: 'gpuq:one',
    // Slurm's database has no double quotes.
    name: odd.replaceAll('"', '`'),
    user: 'root',
    partition: 'main',
    nodes: ['n0'],
    gpus: 2,
  })
  expect(found.find(({ id }) => id === killed)).toMatchObject({ state: 'FAILED', comment: 'gpuq:two' })
  expect(found.find(({ id }) => id === cancelled)).toMatchObject({ state: 'CANCELLED', nodes: [] })
})

test('without slurmdbd jobs run, and one that the controller forgot waits until slurmdbd is back', async ({
  afterwards,
}) => {
  const lab = await SlurmLab.open(slurm)
  afterwards(() => lab.lab.close())
  const [worker] = await lab.startWorkers('n0')
  const spec = { cpu: 1, memory_gb: 0.25 }
  const forgotten = await lab.jobs.submit('print(1)', { spec: { ...spec, cpu: 16 }, held: true })
  const blocker = await lab.jobs.submit('import time\nprint("started", flush=True)\ntime.sleep(3600)', {
    spec,
  })
  await lab.jobs.untilPrinted(blocker, /started/)
  await lab.jobs.letGo(forgotten)
  await lab.untilSubmitted(forgotten)
  await slurm.endAccounting()
  // Slurm has no such job, as after MinJobAge.
  await lab.lab.database.pool.query('UPDATE slurm_jobs SET slurm_id = 999999 WHERE job_id = $1', [forgotten])
  await lab.jobs.until('gpuq asks in vain', async () =>
    worker?.log.includes('the accounting of Slurm does not answer'),
  )
  const other = await lab.jobs.submit('print("runs")', { spec })
  expect(await lab.jobs.untilFinal(other)).toMatchObject({ status: 'completed', attempt: 1 })
  expect((await lab.rows(forgotten)).map(({ ended }) => ended)).toEqual([false])
  await cancel(lab.lab, blocker)
  await slurm.startAccounting()
  expect(await lab.jobs.untilFinal(forgotten)).toMatchObject({ status: 'completed', attempt: 1 })
  expect((await lab.rows(forgotten)).map(({ state }) => state)).toContain('LOST')
  await expectAllTrue(lab.lab)
})
