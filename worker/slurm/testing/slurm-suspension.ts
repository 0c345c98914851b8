import { expect } from 'vitest'
import type { WorkerProcess } from '../../testing/worker-process'
import type { SlurmLab } from './slurm-lab'

const small = { cpu: 1, memory_gb: 0.25 }

/** The states of the containers of a lab. */
export const stateOf = async (lab: SlurmLab) => (await lab.lab.containers()).map(({ state }) => state)

/** Suspends a job in Slurm and waits until its container is paused and the job says why. */
export async function suspend(lab: SlurmLab, job: string): Promise<number> {
  const slurmId = await lab.untilSubmitted(job)
  await lab.slurm.run('scontrol', ['suspend', String(slurmId)])
  await lab.jobs.until('its container is paused', async () => (await stateOf(lab)).join() === 'paused')
  expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', reason: 'slurm_suspended' })
  return slurmId
}

/** Starts a worker on the node n0, and submits a job. */
export async function start(lab: SlurmLab, code: string, tty = false) {
  const worker = await lab.startWorker('n0')
  const job = await lab.jobs.submit(code, { spec: { ...small, tty }, maxRetries: 0 })
  return { worker, job }
}

/** Starts a killed worker, and waits until it has adopted and paused the container. */
export async function restart(lab: SlurmLab, worker: WorkerProcess): Promise<void> {
  const { length } = worker.log
  worker.start()
  await lab.jobs.until('it has paused the container', async () =>
    worker.log.slice(length).includes('paused a task'),
  )
}
