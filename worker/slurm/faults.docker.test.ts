import { describe, expect } from 'vitest'
import { cancel } from '../testing/cancel'
import { expectAllTrue } from '../testing/truth'
import { type SlurmLab, slurmTests } from './testing/slurm-lab'

const { it, cluster } = slurmTests()

const spec = { cpu: 1, memory_gb: 0.25 }
const forever = 'import time\nprint("started", flush=True)\nwhile True: time.sleep(0.1)'
/** Long enough for a fault to happen while it runs. */
const brief = 'import time\nprint("started", flush=True)\ntime.sleep(8)\nprint("ended")'

/** Waits until a job is over in gpuq and in Slurm, as a completed one that ran in one Slurm job. */
async function untilCompleted(lab: SlurmLab, job: string, attempt = 1): Promise<void> {
  expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt })
  await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
}

async function problem(lab: SlurmLab): Promise<string | null> {
  const { rows } = await lab.lab.database.pool.query<{ problem: string | null }>(
    'SELECT problem FROM slurm_cluster',
  )
  return rows[0]?.problem ?? null
}

describe('the controller', { concurrent: false }, () => {
  it('is killed: a running job continues, and jobs that are submitted meanwhile start when it is back', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    await lab.startWorkers('n0', 'n1')
    const running = await lab.jobs.submit(brief, { spec })
    await lab.jobs.untilPrinted(running, /started/)
    await cluster().saved()
    await cluster().endController('SIGKILL')
    const meanwhile = await lab.jobs.submit('print("meanwhile")', { spec })
    await lab.jobs.until(
      'it waits for Slurm',
      async () => (await lab.jobs.row(meanwhile)).reason === 'slurm_unreachable',
    )
    expect(await problem(lab)).not.toBeNull()
    expect(await lab.jobs.untilFinal(running)).toMatchObject({ status: 'completed', attempt: 1 })
    await cluster().startController()
    await untilCompleted(lab, meanwhile)
    await untilCompleted(lab, running)
    expect(await lab.rows(running)).toHaveLength(1)
    expect(await problem(lab)).toBeNull()
    await expectAllTrue(lab.lab)
  })
})

describe('the leader', { concurrent: false }, () => {
  it('gets no answer although Slurm accepted the job: it runs once', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    const lost =
      'real "$@" > /dev/null; echo "sbatch: error: Unable to contact slurm controller (connect failure)" >&2; exit 1'
    const sbatch = await lab.replaceSbatch(lost)
    await lab.startWorker('n0', { variables: sbatch.variables })
    for (const node of ['n1', 'n2', 'n3'])
      await lab.startWorker(node, { variables: { PATH: '/usr/local/bin:/bin:/usr/sbin' } })
    const job = await lab.jobs.submit('print("here")', { spec })
    await untilCompleted(lab, job)
    expect(await lab.submissions(job)).toHaveLength(1)
    await expectAllTrue(lab.lab)
  })
})

describe('a worker', { concurrent: false }, () => {
  it('refuses a step that does not know the secret', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startWorkers('n0')
    const job = await lab.jobs.submit(forever, { spec })
    await lab.jobs.untilPrinted(job, /started/)
    const [row] = await lab.rows(job)
    const line = `gpuq 1 ${'x'.repeat(43)} ${row?.id} ${row?.slurmId} 1 0 1 100 0,1,2,3,4,5,6,7 /`
    expect(await lab.tellStep('n0', line)).toBe('say gpuq does not know this Slurm job\nexit 1\n')
    expect(await lab.tellStep('n0', 'anything')).toBe('')
    expect((await lab.jobs.row(job)).attempt).toBe(1)
    await cancel(lab.lab, job)
    await lab.jobs.untilFinal(job)
    await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })
})
