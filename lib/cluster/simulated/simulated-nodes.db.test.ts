import { beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson } from '../../access/testing/people'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { registerNode } from '../nodes/nodes'
import { takeSnapshot } from '../placement/snapshot'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode } from '../testing/rows'
import { registerSimulatedNode, simulatedNodesOf } from './serve-simulated'
import { ensureFirstSimulatedNodes, initializeSimulatedNodes } from './simulated-nodes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

const machine = { engineId: 'engine', engineVersion: '29', cpuMilli: 4000, memoryMib: 8000 }

async function initialize(nodeCount: number, gpusPerNode: number): Promise<void> {
  await initializeSimulatedNodes((await makePerson('admin')).actor, { nodeCount, gpusPerNode })
}

/** The present simulated nodes with their numbers of GPUs. */
async function shown(): Promise<[string, number][]> {
  const { rows } = await db.pool.query<{ name: string; gpus: number }>(
    `SELECT n.name, count(*)::int AS gpus FROM nodes n JOIN gpus g ON g.node_id = n.id
      WHERE n.simulated AND g.simulated AND NOT g.missing GROUP BY n.id ORDER BY n.number`,
  )
  return rows.map(({ name, gpus }) => [name, gpus])
}

async function idOf(name: string): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM nodes WHERE name = $1', [name])
  return rows[0]?.id ?? ''
}

describe('simulated nodes', () => {
  it('are created, added, resized and removed by an admin, with audit entries', async () => {
    await makeNode({ name: 'lab' })
    for (const [count, gpus] of [
      [2, 8],
      [3, 8],
      [3, 2],
      [1, 2],
      [2, 4],
    ] as const) {
      await initialize(count, gpus)
      expect(await shown()).toEqual(Array.from({ length: count }, (_, i) => [`sim-${i}`, gpus]))
    }
    await initialize(0, 8)
    expect(await shown()).toEqual([])
    const { rows } = await db.pool.query(
      `SELECT detail FROM audit_events WHERE action = 'cluster_initialized'`,
    )
    expect(rows).toContainEqual({ detail: { node_count: 2, gpus_per_node: 8 } })
  })

  it('have capacity for a job written for large GPUs', async () => {
    await makeNode({ name: 'lab' })
    await initialize(2, 8)
    const job = await makeJob({ spec: { gpu_count: 4, gpu_memory_gb: 40 } })
    await db.pool.query("UPDATE nodes SET status = 'ready', lease_expires_at = now() + interval '1 minute'")
    const { placements } = plan((await takeSnapshot()).snapshot)
    expect(placements.map(({ jobId, tasks }) => [jobId, tasks[0]?.nodeId])).toEqual([
      [job, await idOf('sim-0')],
    ])
  })

  it('are created at the first start only, and not on a cluster with real GPUs', async () => {
    const first = () => ensureFirstSimulatedNodes({ nodeCount: 2, gpusPerNode: 8 })
    await expect(first()).rejects.toMatchObject({ code: 'conflict' })
    await makeNode({ name: 'lab', gpus: 0 })
    expect(await first()).toBe(true)
    const both = [
      ['sim-0', 8],
      ['sim-1', 8],
    ]
    expect(await shown()).toEqual(both)
    expect(await first()).toBe(false)
    await initialize(0, 8)
    expect(await first()).toBe(false)
    expect(await shown()).toEqual([])
    await db.pool.query('TRUNCATE nodes CASCADE')
    await makeNode({ name: 'lab', gpus: 1 })
    await db.pool.query('UPDATE gpus SET simulated = false')
    expect(await first()).toBe(false)
    const { rows } = await db.pool.query(
      `SELECT detail FROM audit_events WHERE action = 'cluster_initialized' AND actor_id IS NULL`,
    )
    expect(rows).toEqual([{ detail: { node_count: 2, gpus_per_node: 8 } }])
  })

  it('require an admin and a ready node', async () => {
    const set = { nodeCount: 1, gpusPerNode: 1 }
    await expect(initializeSimulatedNodes((await makePerson()).actor, set)).rejects.toMatchObject({
      status: 403,
    })
    await expect(initialize(1, 1)).rejects.toMatchObject({ code: 'conflict' })
    await initialize(0, 1)
  })

  it('cannot change while jobs run on them', async () => {
    await makeNode({ name: 'lab' })
    await initialize(2, 2)
    await placeManually(await idOf('sim-1'), await makeJob())
    await expect(initialize(2, 4)).rejects.toMatchObject({
      code: 'conflict',
      message: 'Jobs still run on sim-1. Wait for them or cancel them, then try again.',
    })
    await expect(initialize(1, 2)).rejects.toMatchObject({ code: 'conflict' })
    await initialize(3, 2)
    expect(await shown()).toHaveLength(3)
  })

  it('are hosted by the first real node, with names that no real node has', async () => {
    const lab = await makeNode({ name: 'sim-0' })
    await makeNode({ name: 'lab-2' })
    await initialize(2, 1)
    expect((await simulatedNodesOf(lab.nodeId)).map(({ name }) => name)).toEqual(['sim-1', 'sim-2'])
    const [node] = await simulatedNodesOf(lab.nodeId)
    if (!node) throw new Error('The node does not exist.')
    const lease = await registerSimulatedNode(node, lab.nodeId, machine)
    expect(lease.engineId).toBe('engine/sim-1')
    await expect(registerSimulatedNode(node, lab.nodeId, { ...machine, engineId: 'other' })).rejects.toThrow(
      'does not host',
    )
    // A real machine with the same name is a different machine.
    await expect(
      registerNode({ ...machine, name: 'sim-1', engineId: 'engine/sim-1', warnings: [], gpus: [] }),
    ).rejects.toThrow('GPUQ_NODE_NAME')
    await initialize(0, 1)
    expect(await simulatedNodesOf(lab.nodeId)).toEqual([])
    await expect(registerSimulatedNode(node, lab.nodeId, machine)).rejects.toThrow('does not host')
  })

  it('move to another host when their host is lost', async () => {
    const first = await makeNode({ name: 'first' })
    await initialize(1, 1)
    const second = await makeNode({ name: 'second' })
    await initialize(1, 1)
    expect(await simulatedNodesOf(first.nodeId)).toHaveLength(1)
    await db.pool.query(`UPDATE nodes SET status = 'lost' WHERE id = $1`, [first.nodeId])
    await initialize(1, 1)
    expect(await simulatedNodesOf(first.nodeId)).toEqual([])
    const [node] = await simulatedNodesOf(second.nodeId)
    if (!node) throw new Error('The node does not exist.')
    await registerSimulatedNode(node, second.nodeId, machine)
  })
})
