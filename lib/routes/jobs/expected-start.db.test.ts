import { beforeAll, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
testDatabase()

let ada = {} as Person
beforeAll(async () => {
  ada = await makePerson()
})

it('a waiting job has its position and its expected start, in the list and in its status', async () => {
  const { nodeId } = await makeNode({ gpus: 1 })
  const running = await makeJob({ userId: ada.id })
  await placeManually(nodeId, running, { indices: [0] })
  const next = await makeJob({ userId: ada.id, priority: 1 })
  const tooLarge = await makeJob({ userId: ada.id, spec: { gpu_count: 8 } })
  const places = {
    [running]: {
      status: 'running',
      queue_position: null,
      expected_start: null,
      expected_start_range: null,
      expected_start_text: null,
    },
    [next]: {
      status: 'pending',
      queue_position: 1,
      expected_start: expect.any(String),
      expected_start_range: { earliest: expect.any(String), latest: expect.any(String) },
      expected_start_text: expect.stringMatching(/^The start depends on .* from its user's estimate\.$/),
    },
    [tooLarge]: { status: 'pending', queue_position: 2, expected_start: null, expected_start_text: null },
  }
  const { body } = await call(jobRoutes.list, '/api/jobs', ada)
  const listed = body as unknown as { job_id: string; expected_start: string | null }[]
  expect(listed).toHaveLength(3)
  for (const job of listed) expect(job).toMatchObject(places[job.job_id] ?? {})
  const start = listed.find(({ job_id }) => job_id === next)?.expected_start ?? ''
  expect(Date.parse(start)).toBeGreaterThan(Date.now() - 60_000)
  for (const [id, expected] of Object.entries(places)) {
    const path = `/api/status/${id}`
    expect((await call(jobRoutes.get, path, { ...ada, params: { id } })).body).toMatchObject(expected)
  }
})
