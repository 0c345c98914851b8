import { describe, expect } from 'vitest'
import { cancel } from '../testing/cancel'
import { expectAllTrue } from '../testing/truth'
import { fourNodes } from './testing/slurm-cluster'
import { slurmTests } from './testing/slurm-lab'
import { restart, start, stateOf, suspend } from './testing/slurm-suspension'

const { it, cluster } = slurmTests({ nodes: fourNodes.slice(0, 1) })

/** Says that it was told to stop. */
const untilStopped = `import signal, sys, time
def stop(*_):
    print("told to stop", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
# In one piece: the signal must not come between the line and its end.
sys.stdout.write("started\\n")
while True: time.sleep(0.1)`

describe('a job that is suspended in Slurm', { concurrent: false }, () => {
  it('can be cancelled in gpuq: its program is resumed and told to stop', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    const { job } = await start(lab, untilStopped)
    await lab.jobs.untilPrinted(job, /started/)
    await suspend(lab, job)
    await cancel(lab.lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
    expect(await lab.jobs.lines(job)).toEqual(['started', 'told to stop'])
    await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    expect(await lab.active()).toEqual([])
    await expectAllTrue(lab.lab)
  })

  it('can be cancelled in Slurm', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    const { job } = await start(lab, untilStopped)
    await lab.jobs.untilPrinted(job, /started/)
    const slurmId = await suspend(lab, job)
    await cluster().run('scancel', [String(slurmId)])
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_in_slurm',
    })
    await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })

  it('stays paused with a terminal after its worker restarted', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    const { worker, job } = await start(lab, untilStopped, true)
    await lab.jobs.untilPrinted(job, /started/)
    const slurmId = await suspend(lab, job)
    await worker.kill()
    await restart(lab, worker)
    expect(await stateOf(lab)).toEqual(['paused'])
    await lab.slurm.run('scontrol', ['resume', String(slurmId)])
    await lab.jobs.until('it runs', async () => (await lab.jobs.row(job)).reason === null)
    expect(await stateOf(lab)).toEqual(['running'])
    await cancel(lab.lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled' })
    await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })
})
