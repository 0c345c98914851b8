import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Actor } from '@/lib/access/actor'
import { makePerson } from '@/lib/access/testing/people'
import { initializeSimulatedNodes } from '@/lib/cluster/simulated/simulated-nodes'
import { testDatabase } from '@/lib/database/testing/test-database'
import { Lab } from './testing/lab'
import { expectAllTrue } from './testing/truth'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let lab: Lab
let admin: Actor
beforeAll(async () => {
  lab = await Lab.open({ url: db.url })
  admin = (await makePerson('admin')).actor
})
afterAll(() => lab.close())

const counting = (lines: number) => `
import time
for i in range(${lines}):
    print("line", i)
    time.sleep(0.1)`
const all = Array.from({ length: 200 }, (_, i) => `line ${i}`)

async function statuses(): Promise<Record<string, string>> {
  const { rows } = await db.pool.query<{ name: string; status: string }>('SELECT name, status FROM nodes')
  return Object.fromEntries(rows.map(({ name, status }) => [name, status]))
}

async function untilNodes(expected: Record<string, string>): Promise<void> {
  await lab.jobs.until(`nodes are ${JSON.stringify(expected)}`, async () => {
    const found = await statuses()
    return Object.entries(expected).every(([name, status]) => found[name] === status)
  })
}

describe('simulated nodes', () => {
  it('run real containers as separate nodes, survive a restart of the worker, and stop with it', async () => {
    const worker = await lab.startWorker({ node: 'a', gpus: 0 })
    await untilNodes({ a: 'ready' })
    await initializeSimulatedNodes(admin, { nodeCount: 2, gpusPerNode: 1 })
    await untilNodes({ 'sim-0': 'ready', 'sim-1': 'ready' })

    const jobs = [await lab.jobs.submit(counting(200)), await lab.jobs.submit(counting(200))]
    for (const job of jobs) await lab.jobs.untilPrinted(job, /line 3\n/)
    const nodes = await Promise.all(jobs.map(async (job) => (await lab.jobs.task(job))?.node))
    expect(nodes.sort()).toEqual(['sim-0', 'sim-1'])
    await expect(initializeSimulatedNodes(admin, { nodeCount: 1, gpusPerNode: 1 })).rejects.toMatchObject({
      code: 'conflict',
    })

    await worker.kill()
    worker.start()
    for (const job of jobs) {
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
      expect(await lab.jobs.lines(job)).toEqual(all)
    }

    await initializeSimulatedNodes(admin, { nodeCount: 1, gpusPerNode: 1 })
    await untilNodes({ 'sim-0': 'ready', 'sim-1': 'drained' })
    const last = await lab.jobs.submit(counting(60))
    await lab.jobs.untilPrinted(last, /line 3\n/)
    worker.signal('SIGTERM')
    expect(await worker.ended()).toBe(0)
    expect(await lab.jobs.row(last)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await statuses()).toEqual({ a: 'drained', 'sim-0': 'drained', 'sim-1': 'drained' })
    worker.start()
    await expectAllTrue(lab)
  })
})
