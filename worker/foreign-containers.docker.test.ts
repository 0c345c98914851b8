import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { EngineGate } from './testing/engine-gate'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

const sleepForever = 'import time\nwhile True: time.sleep(1)'
/** Waits on the first attempt, and is done at once on the second. */
const onceMore = `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"])
time.sleep(100 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`

/** Runs a container beside the lab's, which goes when the lab does. */
async function runBeside(lab: Lab, name: string, labels: Record<string, string>): Promise<string> {
  const id = await lab.engine.run(name, labels, sleepForever)
  lab.afterwards(() => lab.engine.remove(id))
  return id
}

const ourLabels = (nodeId: string) => ({
  'gpuq.job': randomUUID(),
  'gpuq.task': randomUUID(),
  'gpuq.attempt': '1',
  'gpuq.rank': '0',
  'gpuq.node': nodeId,
})

describe.concurrent('containers of other programs', () => {
  it('are not touched, whatever their labels; a container of this node without a task is removed', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const first = await lab.jobs.submit('print(1)')
    await lab.jobs.untilFinal(first)
    await worker.kill()
    const { rows } = await lab.database.pool.query<{ id: string }>('SELECT id FROM nodes')
    const nodeId = rows[0]?.id ?? ''
    const suffix = randomUUID()
    const foreign = await runBeside(lab, `foreign-${suffix}`, {})
    const older = await runBeside(lab, `older-${suffix}`, ourLabels(randomUUID()))
    const halfOurs = await runBeside(lab, `half-${suffix}`, { 'gpuq.node': nodeId })
    const orphan = await runBeside(lab, `orphan-${suffix}`, ourLabels(nodeId))
    worker.start()

    const job = await lab.jobs.submit('print(2)')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expect(lab.engine.inspect(orphan)).rejects.toThrow('404')
    for (const id of [foreign, older, halfOurs]) {
      expect((await lab.engine.inspect(id)).State.Status).toBe('running')
    }
    await lab.engine.remove(halfOurs)
    await expectAllTrue(lab)
  })

  it('with the name of a container of gpuq are not adopted: the job gets another name', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const gate = await EngineGate.open()
    lab.afterwards(() => gate.close())
    await lab.startWorker({ node: 'a', engineSocket: gate.socketPath })
    const hold = gate.hold(/POST \S*\/containers\/create/, 'before')
    const job = await lab.jobs.submit('print("mine")')
    await hold.reached
    const { id: task } = (await lab.jobs.task(job)) ?? {}
    const squatter = await runBeside(lab, `gpuq-${job}-1-0-${task}`, {})
    hold.release()

    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['mine'])
    expect((await lab.engine.inspect(squatter)).State.Status).toBe('running')
    await expectAllTrue(lab)
  })
})

describe.concurrent('a container of gpuq', () => {
  it('that a user removes does not fail the job, which starts again', async ({ openLab }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    for (const workerIsThere of [true, false]) {
      const job = await lab.jobs.submit(onceMore)
      await lab.jobs.untilPrinted(job, /attempt 1/)
      if (!workerIsThere) await worker.kill()
      for (const { id } of await lab.containers()) await lab.engine.remove(id)
      if (!workerIsThere) worker.start()
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
      expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    }
    await expectAllTrue(lab)
  })

  it('that a user stops does not fail the job, which starts again', async ({ openLab }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const job = await lab.jobs.submit(onceMore)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    for (const { id } of await lab.containers()) await lab.engine.stop(id)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    await expectAllTrue(lab)
  })

  it('continues when its image is removed; the next job reports the missing image, and runs when it exists', async ({
    openLab,
  }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const image = await lab.tagImage()
    const running = await lab.jobs.submit('import time\nprint("in")\ntime.sleep(2)\nprint("out")', { image })
    await lab.jobs.untilPrinted(running, /in/)
    await lab.engine.untag(image)
    expect(await lab.jobs.untilFinal(running)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(running)).toEqual(['in', 'out'])

    const hopeless = await lab.jobs.submit('print(1)', { image, maxRetries: 0 })
    expect(await lab.jobs.untilFinal(hopeless)).toMatchObject({
      status: 'failed',
      reason: 'image_unavailable',
    })
    const patient = await lab.jobs.submit('print(1)', { image, maxRetries: 5 })
    await lab.jobs.until('it was tried', async () => (await lab.jobs.row(patient)).reason === 'backing_off')
    await lab.tagImage(image)
    expect(await lab.jobs.untilFinal(patient)).toMatchObject({ status: 'completed' })
    await expectAllTrue(lab)
  })
})
