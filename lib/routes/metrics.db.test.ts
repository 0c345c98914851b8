import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { serverRoutes } from './server'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
})

/** The lines of the answer that have values. */
async function figures(scope: 'admin' | 'read' = 'admin'): Promise<string[]> {
  const { token } = await makeToken(admin, [scope])
  const request = new Request('http://localhost:8001/metrics', {
    headers: { authorization: `Bearer ${token}` },
  })
  const response = await serverRoutes.metrics(request, { params: Promise.resolve({}) })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/plain'),
  ])
  return (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

describe('the metrics', () => {
  it('count the waiting jobs by reason', async () => {
    const [a, b] = [await makeJob(), await makeJob()]
    await makeJob()
    await db.pool.query("UPDATE jobs SET reason = 'quota' WHERE id = ANY ($1::uuid[])", [[a, b]])
    const lines = await figures()
    expect(lines).toContain('gpuq_jobs{status="pending"} 3')
    expect(lines).toContain('gpuq_jobs_waiting{reason="quota"} 2')
    expect(lines).toContain('gpuq_jobs_waiting{reason="none"} 1')
  })

  it('report the state of nodes, and the load of measured GPUs', async () => {
    const { nodeId } = await makeNode({ name: 'one', gpus: 3 })
    await makeNode({ name: 'two' })
    await placeManually(nodeId, await makeJob(), { milli: 250 })
    await db.pool.query('UPDATE gpus SET sampled_at = now(), load = 0.5, memory_used_mib = 1 WHERE index = 0')
    await db.pool.query("UPDATE nodes SET lease_expires_at = now() - interval '1 second' WHERE name = 'two'")
    await db.pool.query('UPDATE gpus SET missing = true, simulated = false WHERE index = 2')
    const lines = await figures()
    const gpu = (node: string, index: number) => `{node="${node}",gpu="${index}",simulated="true"}`
    expect(lines).toContain('gpuq_node_ready{node="one",state="ready",simulated="false"} 1')
    expect(lines).toContain('gpuq_node_ready{node="two",state="lost",simulated="false"} 0')
    expect(lines).toContain(`gpuq_gpu_allocated_ratio${gpu('one', 0)} 0.25`)
    expect(lines).toContain(`gpuq_gpu_allocated_ratio${gpu('two', 0)} 0`)
    expect(lines.filter((line) => /^gpuq_gpu_(load|memory_used|temp|power)/.test(line))).toEqual([
      `gpuq_gpu_load_ratio${gpu('one', 0)} 0.5`,
      `gpuq_gpu_memory_used_bytes${gpu('one', 0)} 1048576`,
    ])
    expect(lines.filter((line) => line.startsWith('gpuq_gpus{')).sort()).toEqual([
      'gpuq_gpus{state="closed"} 1',
      'gpuq_gpus{state="free"} 1',
      'gpuq_gpus{state="full"} 0',
      'gpuq_gpus{state="missing"} 1',
      'gpuq_gpus{state="outside"} 0',
      'gpuq_gpus{state="paused"} 0',
      'gpuq_gpus{state="shared"} 1',
    ])
  })

  it("are the same for an admin's token that can only read", async () => {
    const { nodeId } = await makeNode({ name: 'one', gpus: 2 })
    await placeManually(nodeId, await makeJob(), { milli: 250 })
    await db.pool.query('UPDATE gpus SET sampled_at = now(), load = 0.5, memory_used_mib = 1')
    expect(await figures('read')).toEqual(await figures('admin'))
  })

  it('are only for admins', async () => {
    const own = await makeToken(ada, ['read', 'submit'])
    const headers = { authorization: `Bearer ${own.token}` }
    const request = new Request('http://localhost:8001/metrics', { headers })
    expect((await serverRoutes.metrics(request, { params: Promise.resolve({}) })).status).toBe(403)
    expect((await call(serverRoutes.metrics, '/metrics')).status).toBe(401)
    expect((await call(serverRoutes.metrics, '/metrics', ada)).status).toBe(403)
  })
})
