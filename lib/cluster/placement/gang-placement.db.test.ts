import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { deregisterNode, type Lease } from '../nodes/nodes'
import { finishTask } from '../tasks/finish-task'
import { claimTasks } from '../tasks/tasks'
import { jobState, makeJob, makeNode, readBooks } from '../testing/rows'
import { commitPlacement } from './place'
import { takeSnapshot } from './snapshot'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

const pair = { gpu_count: 2, instance_count: 2, cpu: 0.5, memory_gb: 0.5 }
const finished = { reason: 'finished', detail: null, exitCode: 0 } as const

async function placeAll(): Promise<void> {
  const { snapshot } = await takeSnapshot()
  for (const placement of plan(snapshot).placements) await commitPlacement(placement)
}

async function networks(): Promise<(number | null)[]> {
  const { rows } = await db.pool.query<{ index: number | null }>(
    'SELECT network_index AS index FROM jobs ORDER BY created_at, id',
  )
  return rows.map(({ index }) => index)
}

async function finishAll(leases: Lease[]): Promise<void> {
  for (const lease of leases) {
    for (const task of await claimTasks(lease)) await finishTask(lease, task, finished)
  }
}

describe('a job of two instances', () => {
  it('is placed on both nodes at once, and each task knows its peer', async () => {
    const [a, b] = [await makeNode({ name: 'a', gpus: 2 }), await makeNode({ name: 'b', gpus: 2 })]
    const job = await makeJob({ spec: pair })
    await placeAll()
    expect(await jobState(job)).toMatchObject({ status: 'scheduled', attempt: 1 })
    expect(await readBooks()).toEqual({ gpus: 4000, allocations: 4000 })
    const tasks = [...(await claimTasks(a)), ...(await claimTasks(b))]
    expect(tasks.map(({ rank }) => rank).sort()).toEqual([0, 1])
    for (const task of tasks) expect(task).toMatchObject({ instances: 2, networkIndex: expect.any(Number) })
    expect(tasks[0]?.peers).toEqual(tasks[1]?.peers)
    const peerOf = (lease: Lease, nodeName: string) => {
      const rank = tasks[lease === a ? 0 : 1]?.rank
      const { nodeId, engineId } = lease
      return { rank, nodeName, nodeId, engineId, machineId: engineId, address: null, gpuCount: 2 }
    }
    const peers = [peerOf(a, 'a'), peerOf(b, 'b')]
    expect(tasks[0]?.peers).toEqual(peers.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0)))
  })

  it('is not placed at all if one of the nodes left after planning', async () => {
    const leases = [await makeNode({ gpus: 2 }), await makeNode({ gpus: 2 })]
    const job = await makeJob({ spec: pair })
    const { snapshot } = await takeSnapshot()
    const [placement] = plan(snapshot).placements
    if (!placement || !leases[1]) throw new Error('Nothing was planned.')
    await deregisterNode(leases[1])
    expect(await commitPlacement(placement)).toMatchObject({ ok: false })
    expect(await jobState(job)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await networks()).toEqual([null])
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })
})

describe('the subnets of jobs with several instances', () => {
  it('are distinct while the jobs live, also for concurrent placements, and are released afterwards', async () => {
    const leases: Lease[] = []
    for (let i = 0; i < 2; i++) leases.push(await makeNode({ gpus: 8 }))
    for (let i = 0; i < 4; i++) await makeJob({ spec: pair })
    const { snapshot } = await takeSnapshot()
    await Promise.all(plan(snapshot).placements.map(commitPlacement))
    const taken = await networks()
    expect(new Set(taken).size).toBe(4)
    for (const index of taken) expect(index).toBeGreaterThanOrEqual(0)
    await finishAll(leases)
    expect(await networks()).toEqual([null, null, null, null])
    await makeJob({ spec: pair })
    await makeJob()
    await placeAll()
    expect((await networks()).slice(4)).toEqual([expect.any(Number), null])
  })
})
