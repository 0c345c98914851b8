import { describe, expect } from 'vitest'
import { counting, expectCounted } from './testing/adoption'
import { cancel } from './testing/cancel'
import { fourNodes } from './testing/slurm-cluster'
import { type SlurmLab, slurmTests } from './testing/slurm-lab'
import { expectAllTrue } from './testing/truth'
import type { WorkerProcess } from './testing/worker-process'

const { it, cluster } = slurmTests({ nodes: fourNodes.slice(0, 1) })

const small = { cpu: 1, memory_gb: 0.25 }
/** Says that it was told to stop. */
const untilStopped = `import signal, sys, time
def stop(*_):
    print("told to stop", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
# In one piece: the signal must not come between the line and its end.
sys.stdout.write("started\\n")
while True: time.sleep(0.1)`

async function scontrol(...args: string[]): Promise<void> {
  await cluster().run('scontrol', args)
}

const stateOf = async (lab: SlurmLab) => (await lab.lab.containers()).map(({ state }) => state)

/** Suspends a job in Slurm and waits until its container is paused and the job says why. */
async function suspend(lab: SlurmLab, job: string): Promise<number> {
  const slurmId = await lab.untilSubmitted(job)
  await scontrol('suspend', String(slurmId))
  await lab.jobs.until('its container is paused', async () => (await stateOf(lab)).join() === 'paused')
  expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', reason: 'slurm_suspended' })
  return slurmId
}

/** Moves the start of a job an hour into the past, and the beginning of its pause almost as far. */
async function pauseForAnHour(lab: SlurmLab, job: string): Promise<void> {
  const { rowCount } = await lab.lab.database.pool.query(
    `UPDATE tasks SET started_at = started_at - interval '1 hour', paused_at = paused_at - interval '1 hour'
      WHERE job_id = $1 AND paused_at IS NOT NULL`,
    [job],
  )
  expect(rowCount).toBe(1)
}

async function start(lab: SlurmLab, code: string, tty = false) {
  const worker = await lab.startWorker('n0')
  const job = await lab.jobs.submit(code, { spec: { ...small, tty }, maxRetries: 0 })
  return { worker, job }
}

/** Starts a killed worker, and waits until it has adopted and paused the container. */
async function restart(lab: SlurmLab, worker: WorkerProcess): Promise<void> {
  const { length } = worker.log
  worker.start()
  await lab.jobs.until('it has paused the container', async () =>
    worker.log.slice(length).includes('paused a task'),
  )
}

describe.sequential('a job that is suspended in Slurm', () => {
  it('is paused until it is resumed, also while its worker restarts, and its time limit does not count', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    const { worker, job } = await start(lab, counting(200, 20))
    await lab.jobs.untilPrinted(job, /line 10\n/)
    const slurmId = await suspend(lab, job)
    await worker.kill()
    await pauseForAnHour(lab, job)
    await restart(lab, worker)
    expect(await stateOf(lab)).toEqual(['paused'])
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', reason: 'slurm_suspended' })
    await scontrol('resume', String(slurmId))
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'completed',
      reason: 'finished',
      attempt: 1,
    })
    await expectCounted(lab.lab, job, 200)
    const row = await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    expect(row).toMatchObject({ slurmId, state: 'COMPLETED' })
    const { rows } = await lab.lab.database.pool.query(
      'SELECT paused_at, paused_seconds >= 3600 AS counted FROM tasks WHERE job_id = $1',
      [job],
    )
    expect(rows).toEqual([{ paused_at: null, counted: true }])
    await expectAllTrue(lab.lab)
  })

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
    await scontrol('resume', String(slurmId))
    await lab.jobs.until('it runs', async () => (await lab.jobs.row(job)).reason === null)
    expect(await stateOf(lab)).toEqual(['running'])
    await cancel(lab.lab, job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled' })
    await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })
})
