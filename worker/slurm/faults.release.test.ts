import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { expectAllTrue } from '../testing/truth'
import { type SlurmLab, slurmTests } from './testing/slurm-lab'

const { it, cluster } = slurmTests()

const spec = { cpu: 1, memory_gb: 0.25 }
/** Only the first attempt runs until somebody stops it. */
const secondEnds = `import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)
while os.environ["GPUQ_ATTEMPT"] == "1": time.sleep(0.1)`
/** Long enough for a fault to happen while it runs. */
const brief = 'import time\nprint("started", flush=True)\ntime.sleep(8)\nprint("ended")'

/** Waits until a job is over in gpuq and in Slurm, as a completed one that ran in one Slurm job. */
async function untilCompleted(lab: SlurmLab, job: string, attempt = 1): Promise<void> {
  expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt })
  await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
}

describe('the controller', { concurrent: false }, () => {
  it('loses its state: a waiting job is submitted again, and a running one does not run twice', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    await lab.startWorkers('n0', 'n1', 'n2', 'n3')
    const running = await lab.jobs.submit(secondEnds, { spec })
    await lab.jobs.untilPrinted(running, /attempt 1/)
    const waiting = await lab.jobs.submit('print("here")', { spec: { ...spec, instance_count: 4, cpu: 16 } })
    await lab.untilSubmitted(waiting)
    await cluster().endController('SIGKILL')
    await rm(join(cluster().directory, 'state'), { recursive: true, force: true })
    await cluster().startController()
    // slurmd ends the step of a job that the controller does not know, and gpuq retries it.
    await untilCompleted(lab, running, 2)
    await untilCompleted(lab, waiting)
    expect((await lab.rows(waiting)).map(({ state }) => state)).toEqual(['LOST', 'COMPLETED'])
    await expectAllTrue(lab.lab)
  })
})

describe('a node', { concurrent: false }, () => {
  it('is set down by an admin: the job runs again elsewhere', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startWorkers('n0', 'n1', 'n2', 'n3')
    const job = await lab.jobs.submit(secondEnds, { spec })
    await lab.jobs.untilPrinted(job, /attempt 1/)
    const slurmId = await lab.untilSubmitted(job)
    const node = await lab.field(slurmId, 'NodeList')
    await cluster().run('scontrol', ['update', `NodeName=${node}`, 'State=DOWN', 'Reason=test'])
    await lab.startRequeued(job, slurmId)
    await untilCompleted(lab, job, 2)
    await expectAllTrue(lab.lab)
  })

  it('loses its slurmd: the container stops when Slurm gives the job away', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startWorkers('n0', 'n1', 'n2', 'n3')
    const job = await lab.jobs.submit(secondEnds, { spec })
    await lab.jobs.untilPrinted(job, /attempt 1/)
    const slurmId = await lab.untilSubmitted(job)
    const node = (await lab.field(slurmId, 'NodeList')) ?? ''
    await cluster().endNode(node, 'SIGKILL')
    await lab.startRequeued(job, slurmId)
    await untilCompleted(lab, job, 2)
    await expectAllTrue(lab.lab)
  })
})

describe('the leader', { concurrent: false }, () => {
  it('dies before sbatch: the next one submits the job, and what the old one submits later is cancelled', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    const sbatch = await lab.replaceSbatch('mark called; await go; real "$@"; mark done')
    const first = await lab.startWorker('n0', { variables: sbatch.variables })
    await lab.lab.untilReady(1)
    const job = await lab.jobs.submit(brief, { spec })
    await sbatch.until('called')
    await first.kill()
    await lab.startWorkers('n1', 'n2', 'n3')
    first.start()
    const slurmId = await lab.untilSubmitted(job)
    await sbatch.mark('go')
    await sbatch.until('done')
    await untilCompleted(lab, job)
    const ids = await lab.submissions(job)
    expect(ids).toHaveLength(2)
    for (const id of ids) {
      const state = id === slurmId ? 'COMPLETED' : /^(CANCELLED|FAILED)$/
      await lab.jobs.until(`${id} is ${state}`, async () => (await lab.field(id, 'JobState'))?.match(state))
    }
    expect((await lab.rows(job)).map(({ state }) => state)).toEqual(['LOST', 'COMPLETED'])
    await expectAllTrue(lab.lab)
  })

  it('dies after sbatch: the next one finds the job by its comment', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    const sbatch = await lab.replaceSbatch('real --hold "$@" > /dev/null; mark done; await never')
    const first = await lab.startWorker('n0', { variables: sbatch.variables })
    await lab.lab.untilReady(1)
    const job = await lab.jobs.submit('print("here")', { spec })
    await sbatch.until('done')
    await first.kill()
    await lab.startWorkers('n1', 'n2', 'n3')
    const slurmId = await lab.untilSubmitted(job)
    first.start()
    await lab.lab.untilReady(4)
    await cluster().run('scontrol', ['release', String(slurmId)])
    await untilCompleted(lab, job)
    expect(await lab.submissions(job)).toEqual([slurmId])
    expect(await lab.rows(job)).toHaveLength(1)
    await sbatch.mark('never')
    await expectAllTrue(lab.lab)
  })
})
