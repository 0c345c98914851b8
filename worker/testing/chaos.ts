import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { EngineGate } from './engine-gate'
import type { Lab } from './lab'
import { expectAllTrue } from './truth'
import { Watch } from './watch'
import type { WorkerProcess } from './worker-process'

/** A node whose worker and whose way to the engine can be disturbed. */
export interface Place {
  worker: WorkerProcess
  gate: EngineGate
}

/** Submits jobs, and disturbs the places on which they run. */
type Disturb = (places: Place[], submit: (held?: boolean) => Promise<void>) => Promise<void>

const lines = 60
const code = `
import time
for i in range(${lines}):
    print("line", i)
    time.sleep(0.02)`

/** Kills a worker that serves, and starts it again after a while. */
export async function killWorker({ worker }: Pick<Place, 'worker'>, forMs: number): Promise<void> {
  await worker.kill()
  await sleep(forMs)
  worker.start()
}

/** Stops a worker for a while, short of its lease. */
export async function pauseWorker({ worker }: Place, forMs: number): Promise<void> {
  worker.signal('SIGSTOP')
  await sleep(forMs)
  worker.signal('SIGCONT')
}

/** Runs jobs on three nodes while `disturb` goes on; each must run once and print all of its lines. */
export async function expectNothingLost(lab: Lab, disturb: Disturb): Promise<void> {
  const places: Place[] = []
  for (const node of ['a', 'b', 'c']) {
    const gate = await EngineGate.open()
    lab.afterwards(() => gate.close())
    places.push({ gate, worker: await lab.startWorker({ node, gpus: 2, engineSocket: gate.socketPath }) })
  }
  const jobs: string[] = []
  const watch = new Watch(lab)
  await disturb(places, async (held = false) => {
    jobs.push(await lab.jobs.submit(code, { maxRetries: 0, held }))
  })

  for (const job of jobs) {
    const ended = await lab.jobs.untilFinal(job)
    expect(ended, await lab.jobs.describe(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(Array.from({ length: lines }, (_, i) => `line ${i}`))
  }
  expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
  await expectAllTrue(lab)
}
