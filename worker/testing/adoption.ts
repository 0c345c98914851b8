import { expect } from 'vitest'
import { cancel } from './cancel'
import type { Hold } from './engine-gate'
import type { Lab } from './lab'
import { expectAllTrue, expectBooksMatchContainers } from './truth'
import type { WorkerProcess } from './worker-process'

/** Prints numbered lines on both streams, some of them in halves, and who prints them; to the end or until SIGTERM. */
export const counting = (lines: number, everyMs: number) => `
import os, signal, sys, time
told = []
signal.signal(signal.SIGTERM, lambda *_: told.append(True))
print("begin", os.getpid(), time.time_ns())
for i in range(${lines}):
    if told: break
    if i % 7 == 0:
        sys.stdout.write(f"line ")
        sys.stdout.flush()
        time.sleep(${everyMs / 1000})
        print(i)
    else:
        print("line", i)
    print("error", i, file=sys.stderr)
    time.sleep(${everyMs / 1000})
print("end")`

/** Kills a worker and starts it again: its container goes on, and no line is missing or doubled. */
export async function expectAdopted(
  lab: Lab,
  kills: number,
  startWorker = (within: Lab) => within.startWorker({ node: 'a' }),
): Promise<void> {
  const worker = await startWorker(lab)
  const job = await lab.jobs.submit(counting(1_000_000, 10))
  await lab.jobs.untilPrinted(job, /line 10\n/)
  const [container] = await lab.containers()
  if (!container) throw new Error('no container')
  const before = await lab.engine.inspect(container.id)

  for (let kill = 1; kill <= kills; kill++) {
    await worker.kill()
    const { outputBytes = 0 } = (await lab.jobs.task(job)) ?? {}
    worker.start()
    await lab.jobs.until('the new worker stores more', async () => {
      const task = await lab.jobs.task(job)
      return task !== null && task.outputBytes > outputBytes
    })
    expect((await lab.engine.inspect(container.id)).State).toEqual(before.State)
    await expectBooksMatchContainers(lab)
  }

  await cancel(lab, job)
  expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'cancelled', attempt: 1 })
  await expectCounted(lab, job)
  await expectAllTrue(lab)
}

/** Kills a worker at the request to the engine that is held, and starts it again: its job completes without a missing line. */
export async function expectNothingLost(lab: Lab, worker: WorkerProcess, hold: Hold): Promise<void> {
  const job = await lab.jobs.submit(counting(20, 1))
  await hold.reached
  await worker.kill()
  hold.release()
  worker.start()
  expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
  const lines = await lab.jobs.lines(job)
  expect(lines.slice(1, -1)).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i}`))
  await expectAllTrue(lab)
}

/** A job printed all that `counting` prints, on both streams. Returns how many lines it counted. */
export async function expectCounted(lab: Lab, job: string, count?: number): Promise<number> {
  const lines = await lab.jobs.lines(job)
  const printed = count ?? lines.length - 2
  expect(lines.at(0)).toMatch(/^begin/)
  expect(lines.slice(1, -1)).toEqual(Array.from({ length: printed }, (_, i) => `line ${i}`))
  expect(lines.at(-1)).toBe('end')
  const errors = Array.from({ length: printed }, (_, i) => `error ${i}\n`)
  expect(await lab.jobs.stderr(job)).toBe(errors.join(''))
  return printed
}
