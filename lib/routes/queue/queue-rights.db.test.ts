import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makeToken, type Person } from '../../access/testing/people'
import { commitPlacement } from '../../cluster/placement/place'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import {
  audited,
  cancel,
  jobOf,
  makePeople,
  prioritize,
  readJob,
  readQueue,
  submit,
  submitted,
} from '../testing/queue-client'
import { queueRoutes } from './queue'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada, bob] = [] as unknown as [Person, Person, Person]
beforeAll(async () => {
  ;[admin, ada, bob] = await makePeople()
})

describe('other users', () => {
  it('see the resources and times of a job, but not its owner', async () => {
    const id = await submitted({ command: 'secret-command', run_id: 'secret-run', gpu_count: 3 }, ada)
    const [seen] = (await readQueue(bob)).queued
    expect(seen).toMatchObject({ job_id: null, user: null, command: null, gpu_count: 3, status: 'queued' })
    const text = JSON.stringify(await readQueue(bob))
    for (const secret of [id, 'secret-command', 'secret-run', ada.handle]) expect(text).not.toContain(secret)
    expect((await readQueue(admin)).queued).toMatchObject([{ job_id: id, user: ada.handle }])
    await cancel(id, ada)
  })

  it('see no single job: every method answers 404', async () => {
    const id = await submitted({}, ada)
    for (const unknown of [
      id,
      '0190a1b2-0000-7000-8000-000000000000',
      'x',
      'x'.repeat(10_000),
      '%00',
      "'--",
    ]) {
      expect(await readJob(unknown, bob)).toMatchObject({ status: 404 })
      expect(await cancel(unknown, bob)).toMatchObject({ status: 404 })
      expect(await prioritize(unknown, { priority: 1 }, bob)).toMatchObject({ status: 404 })
      expect(await prioritize(unknown, 'not json', bob)).toMatchObject({ status: 404 })
    }
    expect(await jobOf(id, ada)).toMatchObject({ status: 'queued', priority: 0 })
    await cancel(id, ada)
  })
})

describe('the queue', () => {
  it('separates waiting from running jobs, and has the placement of running jobs', async () => {
    const node = await makeNode({ name: 'node-a', gpus: 2 })
    const [placed, waiting] = [await submitted({ priority: 9 }, ada), await submitted({}, ada)]
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM gpus ORDER BY index LIMIT 1')
    const commit = await commitPlacement({
      jobId: placed,
      attempt: 1,
      tasks: [
        {
          rank: 0,
          nodeId: node.nodeId,
          cpuMilli: 1000,
          memoryMib: 1000,
          gpus: rows.map((gpu) => ({ id: gpu.id, milli: 1000 })),
        },
      ],
    })
    expect(commit).toMatchObject({ ok: true })
    const { queued, running, queued_total, max_queue_size } = await readQueue(ada)
    expect(running).toMatchObject([{ job_id: placed, status: 'scheduled', node: 'node-a', gpus: [0] }])
    expect(queued).toMatchObject([{ job_id: waiting, status: 'queued', node: null, gpus: [] }])
    expect([queued_total, max_queue_size]).toEqual([1, 100])
    expect(await prioritize(placed, { priority: 1 }, ada)).toMatchObject({ status: 409 })
    await Promise.all([cancel(placed, ada), cancel(waiting, ada)])
  })

  it('has the expected order, with position and expected start', async () => {
    const [low, high] = [await submitted({ gpu_count: 2 }, ada), await submitted({ priority: 5 }, ada)]
    // Accepted before its node was removed.
    const huge = await makeJob({ userId: ada.id, spec: { gpu_count: 8 } })
    // A forecast is cached for a while and does not know these jobs.
    delete (globalThis as { gpuqForecasts?: unknown }).gpuqForecasts
    const { queued } = await readQueue(bob)
    expect(queued.map(({ position, priority }) => [position, priority])).toEqual([
      [1, 5],
      [2, 0],
      [3, 0],
    ])
    expect(queued.map(({ expected_start }) => expected_start !== null)).toEqual([true, true, false])
    expect(await jobOf(high, ada)).toMatchObject({ position: 1, expected_start: expect.any(String) })
    await Promise.all([low, high, huge].map((id) => cancel(id, ada)))
  })

  it('moves a waiting job by its new priority, and records an admin who does it', async () => {
    const id = await submitted({}, ada)
    expect(await prioritize(id, { priority: 5 }, ada)).toMatchObject({ status: 200, body: { priority: 5 } })
    expect(await audited('job_priority_changed')).not.toContainEqual(expect.objectContaining({ target: id }))
    for (const priority of [-3, -3])
      expect(await prioritize(id, { priority }, admin)).toMatchObject({ status: 200 })
    expect(await audited('job_priority_changed')).toContainEqual({ target: id, detail: { from: 5, to: -3 } })
    for (const body of [{}, { priority: '3' }, { priority: 101 }, { priority: 1.5 }, { priority: 1, x: 1 }]) {
      expect(await prioritize(id, body, ada)).toMatchObject({ status: 422 })
    }
    expect(await cancel(id, ada)).toMatchObject({ status: 200 })
    expect(await cancel(id, ada)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(await prioritize(id, { priority: 1 }, ada)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('cancelled') },
    })
  })
})

describe('a submission', () => {
  it.each([
    [{}, 'command'],
    [{ command: '' }, 'command'],
    [{ command: '   ' }, 'command'],
    [{ command: 'a\0b' }, 'command'],
    [{ command: 'x'.repeat(65_537) }, 'command'],
    [{ command: 'ü'.repeat(40_000) }, 'command'],
    [{ command: '\ud800' }, 'command'],
    [{ command: ['python', 'a.py'] }, 'command'],
    [{ command: 'true', priorty: 3 }, 'priorty'],
    [{ command: 'true', gpu_count: '2' }, 'gpu_count'],
    [{ command: 'true', gpu_count: 9 }, 'gpu_count'],
    [{ command: 'true', gpu_count: -1 }, 'gpu_count'],
    [{ command: 'true', gpu_count: 2, gpu_fraction: 0.5 }, 'gpu_fraction'],
    [{ command: 'true', gpu_fraction: 0.12345 }, 'gpu_fraction'],
    [{ command: 'true', gpu_memory_gb: 1e300 }, 'gpu_memory_gb'],
    [{ command: 'true', priority: 1e9 }, 'priority'],
    [{ command: 'true', estimated_duration_seconds: 0 }, 'estimated_duration_seconds'],
    [{ command: 'true', estimated_duration_seconds: 1e12 }, 'estimated_duration_seconds'],
    [{ command: 'true', run_id: 'a\0b' }, 'run_id'],
    [{ command: 'true', run_id: 'x'.repeat(10_000) }, 'run_id'],
    [{ command: 'true', user: 'x'.repeat(10_000) }, 'user'],
    [{ command: 'true', user: '../etc' }, 'user'],
    [{ command: 'true', project_id: 'a b' }, 'project_id'],
    [{ command: 'true', environment: 'nowhere' }, 'environment'],
    [{ command: 'true', gpu_model: 'a\nb' }, 'gpu_model'],
    [{ command: 'true', env: { LD_PRELOAD: '/x' } }, 'env.LD_PRELOAD'],
    [{ command: 'true', env: { A: 'a\0b' } }, 'env.A'],
    ['{"command": "true", "priority": 1e999}', 'priority'],
  ])('is refused by name: %j', async (body, field) => {
    expect(await submit(body, admin)).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([expect.objectContaining({ path: field })]) },
    })
  })

  it('needs a token with the right scope', async () => {
    const { token } = await makeToken(ada, ['read'])
    const body = { command: 'true' }
    expect(await submit(body, {})).toMatchObject({ status: 401 })
    expect(await submit(body, { token })).toMatchObject({ status: 403 })
    expect(await submit(body, { token: 'x'.repeat(40) })).toMatchObject({ status: 401 })
    expect(await call(queueRoutes.list, '/api/queue')).toMatchObject({ status: 401 })
    const id = await submitted({}, ada)
    for (const who of [{}, { token }]) {
      const refused = { status: 'token' in who ? 403 : 401 }
      expect(await cancel(id, who)).toMatchObject(refused)
      expect(await prioritize(id, { priority: 1 }, who)).toMatchObject(refused)
    }
    expect(await readJob(id, {})).toMatchObject({ status: 401 })
    expect(await readJob(id, { token })).toMatchObject({ status: 200 })
    await cancel(id, ada)
  })

  it('stores nothing if it is rejected', async () => {
    const { rows } = await db.pool.query("SELECT count(*) FROM jobs WHERE status = 'pending'")
    expect(rows).toEqual([{ count: 0 }])
  })
})
