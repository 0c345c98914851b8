import { describe, expect } from 'vitest'
import { EngineGate } from './testing/engine-gate'
import { it } from './testing/lab-test'
import { runBeside } from './testing/run-beside'
import { expectAllTrue } from './testing/truth'

/** Waits on the first attempt, and is done at once on the second. */
const onceMore = `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"])
time.sleep(100 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`

describe.concurrent('a container of another program', () => {
  it('a container of another program with the name of a container of gpuq is not adopted: the job gets another name', async ({
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
  it('a container of gpuq that a user removes while the worker is away does not fail the job, which starts again', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await lab.startWorker({ node: 'a' })
    const job = await lab.jobs.submit(onceMore)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    await worker.kill()
    for (const { id } of await lab.containers()) await lab.engine.remove(id)
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    await expectAllTrue(lab)
  })

  it('a container of gpuq that a user stops does not fail the job, which starts again', async ({
    openLab,
  }) => {
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
