import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { type Cluster, clusterSchema } from '../../contract/cluster/cluster'
import { clusterHistorySchema } from '../../contract/cluster/cluster-history'
import { testDatabase } from '../../database/testing/test-database'
import { clusterRoutes } from './cluster'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]

/** Seven nodes with four GPUs each: one is lost, one is paused, and each of the others has a job of bob. */
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  for (const name of ['a-0', 'a-1', 'a-2', 'b-0', 'b-1', 'paused-0', 'lost-0']) {
    const { nodeId } = await makeNode({ name, gpus: 4 })
    if (/^[ab]/.test(name)) await placeManually(nodeId, await makeJob({ userId: bob.id }), { milli: 500 })
  }
  await db.pool.query('UPDATE gpus SET load = 0.1 * index, sampled_at = now() WHERE index < 2')
  await db.pool.query("UPDATE nodes SET paused_at = now() WHERE name = 'paused-0'")
  await db.pool.query("UPDATE nodes SET lease_expires_at = now() - interval '1 second' WHERE name = 'lost-0'")
  await db.pool.query("UPDATE gpus SET busy_reason = 'Other processes use it.' WHERE uuid = 'GPU-sim-b-0-3'")
  await db.pool.query(
    `INSERT INTO gpu_samples (gpu_id, at, load) SELECT id, now() - interval '1 minute', 0.5 FROM gpus`,
  )
})

async function read(query: string, who: Person = ada): Promise<Cluster> {
  const { status, body } = await call(clusterRoutes.get, `/api/cluster${query}`, who)
  expect(status).toBe(200)
  return clusterSchema.parse(body)
}

const namesOf = ({ nodes }: Cluster) => nodes.map(({ name }) => name)

describe('a page of the cluster', () => {
  it('has the requested number of nodes, in the order of the whole', async () => {
    const { nodes } = await read('')
    for (const [query, part] of [
      ['?limit=3', nodes.slice(0, 3)],
      ['?limit=3&offset=3', nodes.slice(3, 6)],
      ['?limit=3&offset=6', nodes.slice(6)],
      ['?offset=5', nodes.slice(5)],
      ['?limit=3&offset=90', []],
    ] as const) {
      expect((await read(query)).nodes, query).toEqual(part)
    }
  })

  it('has the totals of the whole cluster', async () => {
    const { nodes: _, ...whole } = await read('')
    expect(whole.gpus_by_state).toEqual({
      free: 14,
      shared: 5,
      full: 0,
      outside: 1,
      paused: 0,
      missing: 0,
      closed: 8,
    })
    for (const limit of [1, 6, 7, 100]) {
      const { nodes, ...part } = await read(`?limit=${limit}`)
      expect(nodes).toHaveLength(Math.min(limit, 7))
      expect(part, `of ${limit}`).toEqual(whole)
    }
  })

  it('can be filtered by name in any case, and by nodes that are not ready', async () => {
    expect(namesOf(await read('?name=A-'))).toEqual(['a-0', 'a-1', 'a-2'])
    expect(namesOf(await read('?not_ready=true'))).toEqual(['paused-0', 'lost-0'])
    const none = await read('?name=a&not_ready=true&limit=1&offset=1')
    expect([namesOf(none), none.matching_nodes]).toEqual([[], 1])
    expect((await read('?name=%25')).matching_nodes).toBe(0)
  })

  it('does not name jobs that the user may not see', async () => {
    const { nodes } = await read('?limit=1')
    expect(nodes[0]?.gpus[0]?.jobs).toEqual([
      { job_id: null, name: null, user_id: null, user_name: null, share: 0.5 },
    ])
    expect((await read('?limit=1', bob)).nodes[0]?.gpus[0]?.jobs[0]?.user_id).toBe(bob.handle)
  })

  it.each(['limit=0', 'limit=x', 'offset=-1', 'name='])('is rejected for %s', async (query) => {
    expect((await call(clusterRoutes.get, `/api/cluster?${query}`, ada)).status).toBe(422)
  })
})

describe('the last hour', () => {
  async function readHistory(query: string): Promise<string[]> {
    const { status, body } = await call(clusterRoutes.history, `/api/cluster/history${query}`, ada)
    expect(status).toBe(200)
    return clusterHistorySchema.parse(body).gpus.map(({ gpu_id }) => gpu_id)
  }

  it('has only the requested nodes', async () => {
    const { nodes } = await read('')
    const gpusOf = (from: number, to: number) =>
      nodes.slice(from, to).flatMap(({ gpus }) => gpus.map(({ gpu_id }) => gpu_id))
    expect(await readHistory('')).toEqual(gpusOf(0, 7))
    expect(await readHistory(`?nodes=${nodes[1]?.node_id},${nodes[2]?.node_id}`)).toEqual(gpusOf(1, 3))
    expect(await readHistory('?nodes=999999')).toEqual([])
  })

  it.each(['', '1,', 'a', '1;2', '12345678901'])('is rejected for the nodes "%s"', async (nodes) => {
    expect((await call(clusterRoutes.history, `/api/cluster/history?nodes=${nodes}`, ada)).status).toBe(422)
  })
})
