import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { it } from './testing/lab-test'
import { runBeside } from './testing/run-beside'
import { expectAllTrue } from './testing/truth'

/** Waits on the first attempt, and is done at once on the second. */
const onceMore = `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"])
time.sleep(100 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`

const ourLabels = (nodeId: string) => ({
  'gpuq.job': randomUUID(),
  'gpuq.task': randomUUID(),
  'gpuq.attempt': '1',
  'gpuq.rank': '0',
  'gpuq.node': nodeId,
})

// engine.db.test.ts has the other ways to interfere with containers, without containers.
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
})

describe.concurrent('a container of gpuq', () => {
  it('a container of gpuq that a user removes does not fail the job, which starts again', async ({
    openLab,
  }) => {
    const lab = await openLab()
    await lab.startWorker({ node: 'a' })
    const job = await lab.jobs.submit(onceMore)
    await lab.jobs.untilPrinted(job, /attempt 1/)
    for (const { id } of await lab.containers()) await lab.engine.remove(id)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    await expectAllTrue(lab)
  })
})
