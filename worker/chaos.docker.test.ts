import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, it } from 'vitest'
import { randomNumbers } from '@/lib/scheduling/testing/simulate'
import { EngineGate } from './testing/engine-gate'
import { Lab } from './testing/lab'
import { expectAllTrue } from './testing/truth'
import { Watch } from './testing/watch'
import type { WorkerProcess } from './testing/worker-process'

const labs: Lab[] = []
afterAll(() => Promise.all(labs.map((lab) => lab.close())))

const seed = Number(process.env.GPUQ_TEST_SEED ?? Date.now() % 1_000_000)
const forMs = 20_000
const lines = 60

const code = `
import time
for i in range(${lines}):
    print("line", i)
    time.sleep(0.02)`

it(`workers killed, stopped and cut off from their engine at random (GPUQ_TEST_SEED=${seed}) lose nothing`, async () => {
  const random = randomNumbers(seed)
  const upTo = (most: number) => Math.floor(random() * most)
  const lab = await Lab.open({ postgresDirectory: inject('postgresDirectory') })
  labs.push(lab)
  const places: { worker: WorkerProcess; gate: EngineGate }[] = []
  for (const node of ['a', 'b', 'c']) {
    const gate = await EngineGate.open()
    lab.afterwards(() => gate.close())
    places.push({ gate, worker: await lab.startWorker({ node, gpus: 2, engineSocket: gate.socketPath }) })
  }
  const jobs: string[] = []
  const watch = new Watch(lab)

  const ending = performance.now() + forMs
  while (performance.now() < ending) {
    if (jobs.length < 40) jobs.push(await lab.jobs.submit(code, { maxRetries: 0 }))
    const { worker, gate } = places[upTo(places.length)] ?? { worker: undefined, gate: undefined }
    if (!worker) continue
    const fault = upTo(4)
    if (fault === 0 && (await isServing(lab, worker))) {
      await worker.kill()
      await sleep(upTo(1_000))
      worker.start()
    } else if (fault === 1) {
      worker.signal('SIGSTOP')
      await sleep(upTo(2_000))
      worker.signal('SIGCONT')
    } else if (fault === 2) gate.breakAll()
    await sleep(upTo(600))
  }

  for (const job of jobs) {
    expect(await lab.jobs.untilFinal(job), await lab.jobs.describe(job)).toMatchObject({
      status: 'completed',
      attempt: 1,
    })
    expect(await lab.jobs.lines(job)).toEqual(Array.from({ length: lines }, (_, i) => `line ${i}`))
  }
  expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
  await expectAllTrue(lab)
})

/** False for one that has not registered since it was killed the last time: its lease must not run out over that. */
async function isServing(lab: Lab, { node }: WorkerProcess): Promise<boolean> {
  const { rowCount } = await lab.database.pool.query(
    `SELECT 1 FROM nodes WHERE name = $1 AND lease_expires_at > now() + interval '15 seconds'`,
    [node],
  )
  return rowCount === 1
}
