import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '@/lib/access/testing/people'
import { placeManually } from '@/lib/cluster/testing/placed'
import { makeJob, makeNode } from '@/lib/cluster/testing/rows'
import { isStuck } from '@/lib/contract/reasons'
import { testDatabase } from '@/lib/database/testing/test-database'
import { loadEnv } from '@/lib/env'
import { withDiagnosis } from '@/lib/jobs/read/diagnosis'
import { readJob } from '@/lib/jobs/read/read'
import { readerOf } from '@/lib/jobs/read/reader-of'
import { placeWaiting } from './builtin'

const db = testDatabase()

describe('a waiting job that no node fits', () => {
  let ada = {} as Person
  beforeAll(async () => {
    ada = await makePerson()
  })
  const statusOf = async (job: string) =>
    withDiagnosis(
      ada.actor,
      readerOf(ada.actor, new Request('http://localhost')),
      await readJob(ada.actor, job),
    )
  const waiting = async (spec: Record<string, unknown>) => {
    const job = await makeJob({ userId: ada.id, spec })
    await placeWaiting()
    return job
  }
  afterAll(() => void loadEnv({}))
  beforeEach(async () => {
    await db.pool.query('TRUNCATE jobs, nodes CASCADE')
    loadEnv({})
    await makeNode({ name: 'lab-a', gpus: 2 })
  })

  it('names what it asks for and what the largest node has, with the nearest request', async () => {
    expect(await statusOf(await waiting({ gpu_count: 8 }))).toMatchObject({
      reason: 'never_fits',
      reason_text: 'This job cannot start: it asks for 8 GPUs, and the largest node has 2.',
      nearest: { gpu_count: 2 },
    })
    expect(await statusOf(await waiting({ instance_count: 2, memory_gb: 64 }))).toMatchObject({
      reason_text:
        'This job cannot start: it asks for 2 nodes with 64 GB of memory each, and the largest node has 15.6 GB.',
      nearest: { instance_count: 1, memory_gb: 15.6 },
    })
  })

  it('waits for its node by name while that is only closed, and has no other request', async () => {
    const job = await makeJob({ userId: ada.id, spec: { gpu_count: 2 } })
    for (const change of ["status = 'drained'", "status = 'draining'", 'lease_expires_at = now()']) {
      await makeNode({ name: 'lab-b', gpus: 1 })
      await db.pool.query(`UPDATE nodes SET ${change} WHERE name = 'lab-a'`)
      await placeWaiting()
      expect(await statusOf(job)).toMatchObject({
        reason: 'node_unavailable',
        reason_text: expect.stringMatching(/It waits for lab-a \((without a worker|draining)\)\.$/),
        nearest: null,
      })
    }
  })

  it('waits for a GPU that its node does not find now', async () => {
    await db.pool.query('UPDATE gpus SET missing = true, simulated = false WHERE index = 1')
    expect(await statusOf(await waiting({ gpu_count: 2 }))).toMatchObject({
      reason: 'gpu_busy_outside',
      reason_text: expect.stringMatching(/It waits for GPU 1 of lab-a\.$/),
      nearest: null,
    })
    await db.pool.query('UPDATE gpus SET forgotten_at = now() WHERE missing')
    expect(await statusOf(await waiting({ gpu_count: 2 }))).toMatchObject({ nearest: { gpu_count: 1 } })
  })

  it('cannot start as long as it asks for more than its quota', async () => {
    const job = await makeJob({ userId: ada.id, spec: { gpu_count: 2 } })
    const { nodeId } = await makeNode({ name: 'lab-b', gpus: 1 })
    await placeManually(nodeId, await makeJob({ userId: ada.id }))
    for (const [quota, stuck] of [
      [2, false],
      [1, true],
    ] as const) {
      await db.pool.query('UPDATE projects SET gpu_quota_milli = $1 * 1000', [quota])
      await placeWaiting()
      const told = await statusOf(job)
      expect(told.reason).toBe('quota')
      expect(isStuck(told)).toBe(stuck)
    }
    await db.pool.query('UPDATE projects SET gpu_quota_milli = NULL')
  })

  it('may start later where nodes are started on demand', async () => {
    loadEnv({ GPUQ_PROVISION_UP: 'up', GPUQ_PROVISION_DOWN: 'down' })
    expect(await statusOf(await waiting({ gpu_count: 8 }))).toMatchObject({
      reason: 'never_fits',
      reason_text: 'No node is large enough now: it asks for 8 GPUs, and the largest node has 2.',
      nearest: null,
    })
  })
})
