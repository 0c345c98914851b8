import { describe, expect } from 'vitest'
import { counting } from './testing/adoption'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'
import { isWarm, startWarmWorker, untilWarm } from './testing/warm'

/** What holds for every container, on warm ones. */
describe('a worker with warm containers', () => {
  it.concurrent('a worker with warm containers that lost its lease removes them, and its job runs elsewhere', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await startWarmWorker(lab, { variables: { GPUQ_NODE_LEASE_S: '9' } })
    const [before = ''] = await untilWarm(lab)
    const job = await lab.jobs.submit(`
import os, time
${isWarm}
time.sleep(100 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`)
    await lab.jobs.untilPrinted(job, /True/)
    worker.signal('SIGSTOP')
    await lab.startWorker({ node: 'b', variables: { GPUQ_WARM_CONTAINERS: '4', GPUQ_NODE_LEASE_S: '9' } })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    worker.signal('SIGCONT')
    await lab.jobs.until('the old containers are removed', async () =>
      [...(await lab.containers()), ...(await lab.warmContainers())].every(({ id }) => id !== before),
    )
    await expectAllTrue(lab)
  })

  it.concurrent('shares nothing with a second one on the same engine', async ({ openLab }) => {
    const lab = await openLab()
    const variables = { GPUQ_WARM_CONTAINERS: '4' }
    for (const node of ['a', 'b']) await lab.startWorker({ node, variables })
    await lab.untilReady(2)
    const jobs = await Promise.all(
      Array.from({ length: 10 }, (_, i) => lab.jobs.submit(`print(${i})\n${isWarm}`)),
    )
    for (const [i, job] of jobs.entries()) {
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
      expect((await lab.jobs.lines(job))[0]).toBe(String(i))
    }
    await expectAllTrue(lab)
  })

  it.concurrent('a worker with warm containers that is killed in mid-job after its program printed keeps every line', async ({
    openLab,
  }) => {
    const lab = await openLab()
    const worker = await startWarmWorker(lab)
    const job = await lab.jobs.submit(`${isWarm}\n${counting(100, 20)}`)
    await lab.jobs.untilPrinted(job, /line 3\n/)
    await worker.kill()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const [warm, , ...lines] = await lab.jobs.lines(job)
    expect(warm).toBe('True')
    expect(lines.slice(0, -1)).toEqual(Array.from({ length: 100 }, (_, i) => `line ${i}`))
    await expectAllTrue(lab)
  })
})
