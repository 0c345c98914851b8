import { beforeAll, expect, it, vi } from 'vitest'
import { ensureFirstRun } from '../../access/first-run'
import { actAsLocalOwner, localOwner } from '../../access/local-owner'
import { makePerson } from '../../access/testing/people'
import { createUser } from '../../access/users/users'
import { makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import type { ApiHandler } from '../../http/route'
import { clusterRoutes } from '../cluster/cluster'
import { orchestratorRoutes } from './orchestrator'
import { queueRoutes } from './queue'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
beforeAll(async () => void (await ensureFirstRun()))

/** Calls a route as the server of the local port does. */
async function ask(handler: ApiHandler, method: string, body?: object, id = ''): Promise<[number, unknown]> {
  const request = new Request('http://localhost:10000/x', {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  actAsLocalOwner(request)
  const answer = await handler(request, { params: Promise.resolve({ id }) })
  return [answer.status, JSON.parse((await answer.text()) || 'null')]
}

it('is made once, cannot sign in, and counts as no admin', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => localOwner()))
  expect(new Set(made.map(({ userId }) => userId)).size).toBe(1)
  const { rows } = await db.pool.query(
    `SELECT role, password_hash, email FROM users WHERE handle = 'local-owner'`,
  )
  expect(rows).toEqual([{ role: 'researcher', password_hash: null, email: null }])
  const { rowCount } = await db.pool.query(`SELECT 1 FROM audit_events WHERE target = 'local-owner'`)
  expect(rowCount).toBe(1)
})

it('may do what the document prints', async () => {
  await makeNode({ name: 'lab', gpus: 0 })
  expect((await ask(clusterRoutes.initialize, 'POST', { node_count: 2, gpus_per_node: 8 }))[0]).toBe(202)
  const job = {
    run_id: 'experiment-1',
    user: 'username',
    command: 'python train.py',
    gpu_count: 2,
    priority: 2,
  }
  const [status, submitted] = await ask(queueRoutes.submit, 'POST', job)
  expect([status, submitted], JSON.stringify(submitted)).toMatchObject([201, { status: 'queued' }])
  const { job_id: id } = submitted as { job_id: string }
  expect(await ask(queueRoutes.list, 'GET')).toMatchObject([
    200,
    { queued: [{ user: 'username', priority: 2 }] },
  ])
  expect(await ask(queueRoutes.setPriority, 'PATCH', { priority: 3 }, id)).toMatchObject([
    200,
    { priority: 3 },
  ])
  expect((await ask(queueRoutes.cancel, 'DELETE', undefined, id))[0]).toBe(200)
  expect(
    (
      await ask(orchestratorRoutes.updatePolicy, 'PUT', { max_concurrent_jobs: 10, enable_auto_retry: true })
    )[0],
  ).toBe(200)
  expect((await ask(orchestratorRoutes.stop, 'POST'))[0]).toBe(200)
  const { user: _, ...own } = job
  for (const run_id of ['a', 'b', 'c'])
    expect((await ask(queueRoutes.submit, 'POST', { ...own, run_id }))[0]).toBe(201)
  const { rows } = await db.pool.query(
    `SELECT DISTINCT u.handle FROM jobs j JOIN users u ON u.id = j.user_id ORDER BY 1`,
  )
  expect(rows).toEqual([{ handle: 'local-owner' }, { handle: 'username' }])
})

it('is refused when an admin has disabled it, and nobody else can have its name', async () => {
  const { actor } = await makePerson('admin')
  const named = createUser(actor, { user_id: 'Local-Owner', role: 'researcher' } as never, 'http://x')
  await expect(named).rejects.toThrow('reserved')
  await db.pool.query(`UPDATE users SET disabled_at = now() WHERE handle = 'local-owner'`)
  expect(await ask(queueRoutes.list, 'GET')).toMatchObject([
    401,
    { detail: expect.stringContaining('disabled') },
  ])
})

it('requests of others have no rights of it', async () => {
  const answer = await queueRoutes.list(new Request('http://localhost:10000/queue'), {
    params: Promise.resolve({}),
  })
  expect(answer.status).toBe(401)
  const { detail } = (await answer.json()) as { detail: string }
  expect(detail).toContain('Authorization: Bearer YOUR_TOKEN')
  expect(detail).toContain('X-Auth-Token: YOUR_TOKEN')
})
