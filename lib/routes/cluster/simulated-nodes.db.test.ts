import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Answer, call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { type Cluster, clusterSchema } from '../../contract/cluster/cluster'
import { testDatabase } from '../../database/testing/test-database'
import { clusterRoutes } from './cluster'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, audit_events CASCADE')
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
})

type Who = { cookie?: string; token?: string; headers?: Record<string, string> }
const initialize = (body?: unknown, who: Who = admin) =>
  call(clusterRoutes.initialize, '/gpu/initialize', { method: 'POST', body, ...who })

const serve = () =>
  db.pool.query(
    `UPDATE nodes SET status = 'ready', lease_expires_at = now() + interval '1 minute'
      WHERE id IN (SELECT id FROM nodes
                    WHERE simulated AND EXISTS (SELECT 1 FROM gpus g WHERE g.node_id = nodes.id AND NOT g.missing)
                    ORDER BY id FOR UPDATE)`,
  )

/** The answer to a request while a worker serves all simulated nodes. */
async function initialized(body?: unknown, who: Who = admin): Promise<Answer> {
  const answered = new AbortController()
  const served = serveUntil(answered.signal)
  served.catch(() => {})
  try {
    return await initialize(body, who)
  } finally {
    answered.abort()
    await served
  }
}

async function serveUntil(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await serve()
    await sleep(50)
  }
}

function simulatedOf(body: unknown): [string, string, number][] {
  const { nodes }: Cluster = clusterSchema.parse(body)
  return nodes.filter(({ simulated }) => simulated).map(({ name, state, gpus }) => [name, state, gpus.length])
}

describe('initializing the cluster', () => {
  it('creates two nodes with eight simulated GPUs by default', async () => {
    await makeNode({ name: 'host' })
    const { status, body } = await initialized()
    expect(status).toBe(200)
    expect(simulatedOf(body)).toEqual([
      ['sim-0', 'ready', 8],
      ['sim-1', 'ready', 8],
    ])
    expect(clusterSchema.parse(body).cluster_status).toMatchObject({ total_gpus: 17, available_gpus: 17 })
    const again = await initialized({}, { ...admin, headers: { 'content-type': 'application/json' } })
    expect([again.status, again.body]).toEqual([200, body])
    expect((await call(clusterRoutes.status, '/gpu/status', ada)).body).toMatchObject({
      cluster_status: { total_gpus: 17 },
    })
  })

  it('resizes and removes them', async () => {
    await makeNode({ name: 'host' })
    await initialized({ node_count: 3, gpus_per_node: 2 })
    expect(simulatedOf((await initialized({ node_count: 1, gpus_per_node: 4 })).body)).toEqual([
      ['sim-0', 'ready', 4],
    ])
    expect(simulatedOf((await initialized({ node_count: 1, gpus_per_node: 1 })).body)).toEqual([
      ['sim-0', 'ready', 1],
    ])
    const { status, body } = await initialized({ node_count: 0 })
    expect([status, simulatedOf(body)]).toEqual([200, []])
  })

  it('is rejected while jobs run on nodes that it would remove', async () => {
    await makeNode({ name: 'host' })
    await initialized({ node_count: 2, gpus_per_node: 2 })
    const { rows } = await db.pool.query("SELECT id FROM nodes WHERE name = 'sim-1'")
    await placeManually(rows[0].id, await makeJob())
    expect(await initialize({ node_count: 1, gpus_per_node: 2 })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('sim-1') },
    })
  })

  it('answers 202 with the current state if no worker serves them yet', async () => {
    await makeNode({ name: 'host' })
    // A disconnected client does not wait until the timeout, so the test need not either.
    const request = new Request('http://localhost:8001/gpu/initialize', {
      method: 'POST',
      headers: { cookie: admin.cookie, 'sec-fetch-site': 'same-origin' },
      signal: AbortSignal.timeout(100),
    })
    const response = await clusterRoutes.initialize(request, { params: Promise.resolve({}) })
    expect(response.status).toBe(202)
    expect(simulatedOf(await response.json())).toEqual([
      ['sim-0', 'drained', 8],
      ['sim-1', 'drained', 8],
    ])
  })

  it('needs a node whose worker can serve them', async () => {
    expect(await initialize()).toMatchObject({ status: 409, body: { detail: expect.any(String) } })
  })
})

describe('a request without effect', () => {
  it('is an invalid one, or one of a user who is not an admin', async () => {
    await makeNode({ name: 'host' })
    const { token } = await makeToken(admin, ['read', 'submit'])
    expect((await initialize(undefined, {})).status).toBe(401)
    expect((await initialize(undefined, ada)).status).toBe(403)
    expect((await initialize(undefined, { token })).status).toBe(403)
    const foreign = { ...admin, headers: { 'sec-fetch-site': 'cross-site' } }
    expect((await initialize(undefined, foreign)).status).toBe(403)
    const wrong = [
      { nodes: 2 },
      { node_count: -1 },
      { node_count: 65 },
      { node_count: 1.5 },
      { node_count: '2' },
      { gpus_per_node: 0 },
      { gpus_per_node: 17 },
      { gpus_per_node: 1e99 },
      [],
      null,
    ]
    for (const body of wrong) expect([body, (await initialize(body)).status]).toEqual([body, 422])
    expect((await initialize('{')).status).toBe(400)
    expect((await initialize(' '.repeat(300_000))).status).toBe(413)
    const form = { ...admin, headers: { 'content-type': 'text/plain' } }
    expect((await initialize('{}', form)).status).toBe(415)
    const { rowCount } = await db.pool.query('SELECT 1 FROM nodes WHERE simulated')
    expect(rowCount).toBe(0)
  })
})
