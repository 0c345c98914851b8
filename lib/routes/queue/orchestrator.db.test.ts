import { beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { locks } from '../../database/locks'
import { testDatabase } from '../../database/testing/test-database'
import { modelRoutes } from '../cluster/models'
import { orchestratorRoutes } from './orchestrator'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
})

const path = '/api/orchestrator'
const change = (body: unknown, who: { token?: string; cookie?: string } = admin) =>
  call(orchestratorRoutes.updatePolicy, `${path}/policy`, { method: 'PUT', body, ...who })
const readPolicy = async () => (await call(orchestratorRoutes.policy, `${path}/policy`, ada)).body

describe('the orchestrator', () => {
  it('starts and stops for admins, also repeatedly', async () => {
    for (const [handler, running] of [
      [orchestratorRoutes.stop, false],
      [orchestratorRoutes.stop, false],
      [orchestratorRoutes.start, true],
      [orchestratorRoutes.start, true],
    ] as const) {
      expect(await call(handler, path, { method: 'POST', ...ada })).toMatchObject({ status: 403 })
      const answer = await call(handler, path, { method: 'POST', ...admin })
      expect(answer).toMatchObject({ status: 200, body: { running } })
      expect((await call(orchestratorRoutes.status, `${path}/status`, ada)).body).toEqual(answer.body)
    }
  })

  it('reports the waiting jobs, and whether a worker leads', async () => {
    await makeJob()
    const expected = {
      running: true,
      set_by_environment: false,
      scheduling_policy: 'priority',
      queued: 1,
      running_jobs: 0,
      engine: 'builtin',
      slurm: null,
    }
    const read = async () => (await call(orchestratorRoutes.status, `${path}/status`, ada)).body
    expect(await read()).toEqual({ ...expected, leader: false })
    const leader = await db.pool.connect()
    await leader.query('SELECT pg_advisory_lock($1)', [locks.leader])
    expect(await read()).toEqual({ ...expected, leader: true })
    await leader.query('SELECT pg_advisory_unlock($1)', [locks.leader])
    leader.release()
    expect(await read()).toEqual({ ...expected, leader: false })
  })

  it('refuses requests without a token, and changes without the scope', async () => {
    const readers = [orchestratorRoutes.policy, orchestratorRoutes.status, modelRoutes.models]
    for (const handler of readers) expect(await call(handler, path)).toMatchObject({ status: 401 })
    const { token } = await makeToken(admin, ['read', 'submit'])
    for (const handler of readers) expect(await call(handler, path, { token })).toMatchObject({ status: 200 })
    for (const handler of [orchestratorRoutes.start, orchestratorRoutes.stop]) {
      expect(await call(handler, path, { method: 'POST' })).toMatchObject({ status: 401 })
      expect(await call(handler, path, { method: 'POST', token })).toMatchObject({ status: 403 })
    }
    for (const handler of [orchestratorRoutes.updatePolicy, modelRoutes.replaceModels]) {
      expect(await call(handler, path, { method: 'PUT', body: {} })).toMatchObject({ status: 401 })
      expect(await call(handler, path, { method: 'PUT', body: {}, token })).toMatchObject({ status: 403 })
    }
  })
})

describe('the policy', () => {
  it('changes the given keys and keeps the others', async () => {
    const before = await readPolicy()
    const changes = { max_concurrent_jobs: 10, enable_auto_retry: false, memory_threshold: 0.5 }
    const answer = await change(changes)
    expect(answer).toMatchObject({ status: 200, body: { ...(before as object), ...changes } })
    expect(answer.body).not.toHaveProperty('running')
    expect(await readPolicy()).toEqual(answer.body)
    expect((await change({})).body).toEqual(answer.body)
  })

  it.each([
    [{ max_concurent_jobs: 3 }, 'max_concurent_jobs', 'did you mean "max_concurrent_jobs"?'],
    [{ colour: 'red' }, 'colour', 'this field does not exist'],
    [{ running: false }, 'running', 'this field does not exist'],
    [{ scheduling_policy: 'random' }, 'scheduling_policy', 'fair_share'],
    [{ max_queue_size: -1 }, 'max_queue_size', ''],
    [{ max_queue_size: 1e9 }, 'max_queue_size', ''],
    [{ max_concurrent_jobs: 1.5 }, 'max_concurrent_jobs', ''],
    [{ enable_auto_retry: 'true' }, 'enable_auto_retry', ''],
    [{ ageing_minutes: 5e-324 }, 'ageing_minutes', ''],
    [{ load_threshold: 80 }, 'load_threshold', ''],
    ['{"half_life_hours": 1e999}', 'half_life_hours', ''],
  ])('rejects %j with the name of the key, and changes nothing', async (body, field, message) => {
    const before = await readPolicy()
    expect(await change(body)).toMatchObject({
      status: 422,
      body: { errors: [{ path: field, message: expect.stringContaining(message) }] },
    })
    expect(await readPolicy()).toEqual(before)
  })

  it('names unknown keys, up to a limit', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}${'x'.repeat(100)}`, n]))
    expect(await change({ one: 1, two: 2 })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'one' }, { path: 'two' }] },
    })
    expect(JSON.stringify((await change(many)).body).length).toBeLessThan(4000)
  })

  it.each([['[]'], ['null'], ['"text"'], ['']])('rejects %s', async (body) => {
    expect((await change(body)).status).toBeGreaterThanOrEqual(400)
    expect((await change(body)).status).toBeLessThan(500)
  })
})

describe('the model table', () => {
  it('is readable for all users, and replaceable for admins', async () => {
    const table = { default_requirement: 1, models: { 'qwen2.5-3b-inst': 0.5, 'qwen2.5-7b-inst': 1 } }
    const put = (who: Person) =>
      call(modelRoutes.replaceModels, '/api/models', { method: 'PUT', body: table, ...who })
    expect(await put(ada)).toMatchObject({ status: 403 })
    expect(await put(admin)).toMatchObject({ status: 200, body: table })
    expect(await call(modelRoutes.models, '/api/models', ada)).toMatchObject({ status: 200, body: table })
  })
})
