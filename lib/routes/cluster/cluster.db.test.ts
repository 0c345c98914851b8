import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { type Cluster, type ClusterNode, clusterSchema } from '../../contract/cluster/cluster'
import { type ClusterHistory, clusterHistorySchema } from '../../contract/cluster/cluster-history'
import { testDatabase } from '../../database/testing/test-database'
import { recordWarmContainers } from '../../warm/warm-containers'
import { clusterRoutes } from './cluster'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada, bob] = [] as unknown as [Person, Person, Person]
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  ;[admin, ada, bob] = [await makePerson('admin'), await makePerson(), await makePerson()]
})

/** The answer, checked with a strict schema: it may contain no undocumented keys. */
async function read(who: { cookie?: string; token?: string }): Promise<Cluster> {
  const { status, body } = await call(clusterRoutes.get, '/api/cluster', who)
  expect(status).toBe(200)
  expect(clusterSchema.parse(body)).toEqual(body)
  return clusterSchema.parse(body)
}

async function nodeNamed(name: string, who: Person = admin): Promise<ClusterNode> {
  const node = (await read(who)).nodes.find((node) => node.name === name)
  if (!node) throw new Error(`no node ${name}`)
  return node
}

/** A simulated node with one GPU, as the worker of its host creates it. */
async function simulate(hostId: string, name: string): Promise<string> {
  const { nodeId } = await makeNode({ name })
  await db.pool.query('UPDATE nodes SET simulated = true, host_node_id = $2 WHERE id = $1', [nodeId, hostId])
  return nodeId
}

describe('the cluster', () => {
  it('shows admins jobs and shares, and researchers only the shares of other users’ jobs', async () => {
    const lease = await makeNode({ name: 'one', gpus: 2 })
    const { nodeId } = lease
    const [mine, other] = [await makeJob({ userId: ada.id }), await makeJob({ userId: bob.id })]
    await placeManually(nodeId, mine, { milli: 250, cpuMilli: 500, memoryMib: 100 })
    await placeManually(nodeId, other, { milli: 500, cpuMilli: 1500, memoryMib: 200 })
    const hidden = { job_id: null, name: null, user_id: null, user_name: null }
    const job = (job_id: string, { handle }: Person, share: number) => ({
      job_id,
      name: null,
      user_id: handle,
      user_name: `Name of ${handle}`,
      share,
    })
    await db.pool.query("UPDATE users SET name = 'Name of ' || handle")
    await recordWarmContainers(lease, { containers: 2, memoryMib: 4 })

    const node = await nodeNamed('one')
    expect(node).toMatchObject({ state: 'ready', reason: null, cpu_used_milli: 2000, memory_used_mib: 300 })
    expect(node).toMatchObject({ warm_containers: 2, warm_memory_mib: 4 })
    expect(node.gpus).toMatchObject([
      { index: 0, state: 'shared', allocated: 0.75, use: null },
      { index: 1, state: 'free', allocated: 0, jobs: [] },
    ])
    expect(node.gpus[0]?.jobs).toEqual([job(mine, ada, 0.25), job(other, bob, 0.5)])
    expect((await nodeNamed('one', ada)).gpus[0]?.jobs).toEqual([
      job(mine, ada, 0.25),
      { ...hidden, share: 0.5 },
    ])
    expect(JSON.stringify(await read(ada))).not.toContain(bob.handle)
    const reader = await makeToken(admin, ['read'])
    expect(JSON.stringify(await read(reader))).not.toContain(bob.handle)
  })

  it('counts all GPUs, and as available only those that can be allocated', async () => {
    const { nodeId } = await makeNode({ name: 'one', gpus: 5 })
    await placeManually(nodeId, await makeJob(), { indices: [0], milli: 1000 })
    await placeManually(nodeId, await makeJob(), { indices: [1], milli: 500 })
    await db.pool.query("UPDATE gpus SET missing = true WHERE uuid = 'GPU-sim-one-3'")
    await db.pool.query("UPDATE gpus SET paused_at = now() WHERE uuid = 'GPU-sim-one-4'")
    await makeNode({ name: 'lost', gpus: 4 })
    await db.pool.query("UPDATE nodes SET lease_expires_at = now() - interval '1 second' WHERE name = 'lost'")
    await db.pool.query(
      `UPDATE gpus SET sampled_at = now(), load = v.load FROM (VALUES ('GPU-sim-one-0', 0.9), ('GPU-sim-one-1', 0.35),
         ('GPU-sim-one-2', NULL), ('GPU-sim-one-3', 1)) v (uuid, load) WHERE gpus.uuid = v.uuid`,
    )
    const { cluster_status } = await read(ada)
    expect(cluster_status).toEqual({
      total_gpus: 4,
      available_gpus: 1,
      allocated_gpus: 1.5,
      utilization_percent: 50,
      // The GPU that is missing counts nothing, and the one without a measurement neither.
      load_percent: 62.5,
      nodes: 2,
      ready_nodes: 1,
      simulated_gpus: 4,
    })
    expect((await call(clusterRoutes.status, '/gpu/status', ada)).body).toMatchObject({ cluster_status })
  })

  it('is empty without nodes', async () => {
    expect(await read(ada)).toMatchObject({
      cluster_status: { total_gpus: 0, utilization_percent: 0, load_percent: null },
      nodes: [],
    })
  })

  it('has the reason why a node or a GPU accepts no jobs', async () => {
    await makeNode({ name: 'one', gpus: 4 })
    await db.pool.query(`UPDATE gpus SET paused_at = now(), pause_reason = 'new fan' WHERE index = 0`)
    await db.pool.query(`UPDATE gpus SET busy_reason = 'Others use 90 % of its memory.' WHERE index = 1`)
    await db.pool.query('UPDATE gpus SET missing = true, simulated = false WHERE index = 2')
    await db.pool.query(
      `UPDATE nodes SET quarantined_at = now(), quarantine_reason = 'Three images in a row could not be had.'`,
    )
    const node = await nodeNamed('one')
    expect([node.state, node.reason]).toEqual(['quarantined', 'Three images in a row could not be had.'])
    expect(node.gpus.map(({ state, reason }) => [state, reason])).toEqual([
      ['paused', 'An admin paused it: new fan.'],
      ['outside', 'Others use 90 % of its memory.'],
      ['closed', null],
      ['missing', 'Its node no longer finds it.'],
    ])
  })

  it('shows allocations until they are released, also after the end of a job', async () => {
    const { nodeId } = await makeNode({ name: 'one', gpus: 2 })
    const [held, freed] = [await makeJob(), await makeJob()]
    await placeManually(nodeId, held)
    const task = await placeManually(nodeId, freed, { indices: [1] })
    await db.pool.query("UPDATE tasks SET status = 'failed'")
    await db.pool.query('UPDATE allocations SET released_at = now() WHERE task_id = $1', [task])
    await db.pool.query('UPDATE gpus SET allocated_milli = 0 WHERE index = 1')
    const { gpus, cpu_used_milli } = await nodeNamed('one')
    expect(gpus).toMatchObject([
      { state: 'full', jobs: [{ job_id: held }] },
      { state: 'free', jobs: [] },
    ])
    expect(cpu_used_milli).toBe(0)
  })

  it('marks simulated nodes, and does not show removed ones', async () => {
    const { nodeId: host } = await makeNode({ name: 'host' })
    await simulate(host, 'sim-0')
    const removed = await simulate(host, 'sim-1')
    await db.pool.query(
      "UPDATE nodes SET status = 'drained', lease_expires_at = now() - interval '1 second' WHERE id = $1",
      [removed],
    )
    await db.pool.query('UPDATE gpus SET missing = true WHERE node_id = $1', [removed])
    const { nodes } = await read(ada)
    expect(nodes.map(({ name, simulated }) => [name, simulated])).toEqual([
      ['host', false],
      ['sim-0', true],
    ])
  })

  it('shows the warnings of the engine to admins only', async () => {
    await makeNode({ name: 'one' })
    await db.pool.query("UPDATE nodes SET warnings = ARRAY['This engine has known escapes.']")
    expect((await nodeNamed('one')).warnings).toEqual(['This engine has known escapes.'])
    expect((await nodeNamed('one', ada)).warnings).toEqual([])
  })

  it('shows the last sample, with null for missing values', async () => {
    await makeNode({ name: 'one' })
    await db.pool.query(
      `UPDATE gpus SET sampled_at = '2026-01-02T03:04:05.678Z', load = 0.5, memory_used_mib = 1000, temperature_c = 60`,
    )
    expect((await nodeNamed('one', ada)).gpus[0]?.use).toEqual({
      at: '2026-01-02T03:04:05.678Z',
      load: 0.5,
      memory_used_mib: 1000,
      temperature_c: 60,
      power_w: null,
    })
  })

  it('needs a session or a token with the scope read', async () => {
    const { token } = await makeToken(ada, ['submit'])
    for (const handler of [clusterRoutes.get, clusterRoutes.status, clusterRoutes.history]) {
      expect((await call(handler, '/api/cluster')).status).toBe(401)
      expect((await call(handler, '/api/cluster', { token: 'gpuq_wrong' })).status).toBe(401)
      expect((await call(handler, '/api/cluster', { token })).status).toBe(403)
    }
  })
})

describe("the cluster's last hour", () => {
  async function history(): Promise<ClusterHistory['gpus']> {
    const { status, body } = await call(clusterRoutes.history, '/api/cluster/history', ada)
    expect(status).toBe(200)
    return clusterHistorySchema.parse(body).gpus
  }

  it('has one series per GPU, oldest first, of equal length, with about 240 points at most', async () => {
    await makeNode({ gpus: 2 })
    await db.pool.query(
      `INSERT INTO gpu_samples (gpu_id, at, load, memory_used_mib, temperature_c, power_w)
       SELECT g.id, now() - make_interval(secs => s), 0.25, s, 50, 99.5 FROM gpus g, generate_series(1, 5000, 3) AS s`,
    )
    const gpus = await history()
    expect(gpus).toHaveLength(2)
    for (const { at, load, memory_used_mib, temperature_c, power_w } of gpus) {
      expect(at.length).toBeGreaterThan(230)
      expect(at.length).toBeLessThan(243)
      expect(at).toEqual([...at].sort((a, b) => a - b))
      expect(at[0]).toBeGreaterThan(Date.now() / 1000 - 3700)
      for (const series of [load, memory_used_mib, temperature_c, power_w])
        expect(series).toHaveLength(at.length)
      expect(load[0]).toBe(0.25)
    }
  })

  it('shows the highest memory of 15 seconds, with null for missing values', async () => {
    await makeNode()
    await db.pool.query(
      `INSERT INTO gpu_samples (gpu_id, at, load, memory_used_mib)
       SELECT g.id, date_bin('15 seconds', now() - interval '5 minutes', 'epoch') + make_interval(secs => s), s / 10.0, 1000 - s
         FROM gpus g, generate_series(0, 4, 2) AS s`,
    )
    expect(await history()).toMatchObject([
      { load: [0.2], memory_used_mib: [1000], temperature_c: [null], power_w: [null] },
    ])
  })
})
