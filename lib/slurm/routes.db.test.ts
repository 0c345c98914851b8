import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { registerAllEngines } from '../engines'
import { type SlurmNodeState, SlurmUnavailable } from './client/slurm-client'
import { applyNodeRequests } from './cluster/node-requests'
import type { SlurmClusterView } from './contract'
import { slurmRoutes } from './routes'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_ENGINE', 'slurm')
  vi.stubEnv('GPUQ_SLURM_ADMIN', 'true')
})
registerAllEngines()
const db = testDatabase()

const node = (name: string, changes: Partial<SlurmNodeState> = {}): SlurmNodeState => ({
  name,
  states: ['IDLE'],
  reason: null,
  partitions: ['gpu'],
  cpus: 16,
  usedCpus: 0,
  memoryMib: 20_000,
  usedMemoryMib: 0,
  gpus: [{ type: 'a100', count: 8, used: 0 }],
  ...changes,
})

const otherJob = {
  state: 'RUNNING',
  reason: null,
  comment: '',
  user: 'grace',
  name: 'secret-project',
  partition: 'gpu',
  cpus: 4,
  nice: 0,
  held: false,
  restarts: 0,
  exitCode: null,
  submittedAt: null,
  startsAt: null,
  startedAt: '2026-11-23T09:00:00.000Z',
  endedAt: null,
}

let [admin, ada] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
  await makeNode({ name: 'n0' })
  await db.pool.query(
    `UPDATE slurm_cluster SET read_at = now(), version = '22.05.8', accounting = true, nodes = $1, partitions = $2, other_jobs = $3`,
    [
      JSON.stringify([
        node('n0', { states: ['MIXED'], usedCpus: 4, gpus: [{ type: 'a100', count: 8, used: 5 }] }),
        node('n1', { states: ['IDLE', 'DRAIN'], reason: 'new fan' }),
        node('n2.example.org', { states: ['DOWN'], partitions: ['gpu', 'debug'] }),
      ]),
      JSON.stringify([
        { name: 'gpu', isDefault: true, state: 'UP', nodes: 3, maxNodes: null, maxTimeS: 86_400 },
        { name: 'debug', isDefault: false, state: 'UP', nodes: 1, maxNodes: null, maxTimeS: null },
      ]),
      JSON.stringify([
        { ...otherJob, id: 7, nodes: ['n0'], gpus: 1 },
        { ...otherJob, id: 8, nodes: ['n0'], gpus: 4 },
        { ...otherJob, id: 9, state: 'PENDING', nodes: [], gpus: 8, startedAt: null },
      ]),
    ],
  )
})

describe('the Slurm cluster', () => {
  it('has the nodes with their states, workers and GPUs, and the partitions', async () => {
    const { status, body } = await call(slurmRoutes.get, '/api/slurm', ada)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      version: '22.05.8',
      problem: null,
      may_drain: false,
      matching_nodes: 3,
      totals: {
        nodes: 3,
        ready_nodes: 1,
        gpus: 16,
        used_gpus: 5,
        free_gpus: 3,
        without_worker: ['n1'],
        nodes_without_worker: 1,
      },
      nodes: [
        { name: 'n0', state: 'mixed', worker: 'ready', gpus: [{ type: 'a100', count: 8, used: 5 }] },
        {
          name: 'n1',
          state: 'drained',
          reason: 'new fan',
          worker: 'missing',
          slurm_states: ['IDLE', 'DRAIN'],
        },
        { name: 'n2.example.org', state: 'down', worker: 'missing' },
      ],
      partitions: [
        { name: 'gpu', is_default: true, gpus: 24, used_gpus: 5, max_time_s: 86_400 },
        { name: 'debug', gpus: 8, used_gpus: 0, max_time_s: null },
      ],
    })
  })

  it('finds some nodes, with the totals of all', async () => {
    const found = async (query: string) => {
      const { body } = await call(slurmRoutes.get, `/api/slurm?${query}`, ada)
      const { nodes, matching_nodes, totals } = body as SlurmClusterView
      expect(totals.nodes).toBe(3)
      return [matching_nodes, nodes.map(({ name }) => name)]
    }
    expect(await found('limit=1&offset=1')).toEqual([3, ['n1']])
    expect(await found('name=N2')).toEqual([1, ['n2.example.org']])
    expect(await found('not_ready=true')).toEqual([2, ['n1', 'n2.example.org']])
  })

  it('shows what other jobs occupy, and whose they are only to admins', async () => {
    const seen = async (who: Person) => (await call(slurmRoutes.get, '/api/slurm', who)).body
    expect(await seen(ada)).toMatchObject({
      other_jobs: {
        running: 2,
        waiting: 1,
        gpus: 5,
        largest: [
          { slurm_id: 8, gpus: 4, nodes: ['n0'], user: null, name: null },
          { slurm_id: 7, gpus: 1 },
        ],
      },
    })
    expect(await seen(admin)).toMatchObject({
      may_drain: true,
      other_jobs: { largest: [{ user: 'grace', name: 'secret-project' }, { user: 'grace' }] },
    })
  })
})

describe('draining a node', () => {
  const change = (name: string, body: unknown, who = admin) =>
    call(slurmRoutes.updateNode, `/api/slurm/nodes/${name}`, {
      method: 'PATCH',
      body,
      params: { name },
      ...who,
    })
  beforeEach(() => db.pool.query('TRUNCATE slurm_node_requests'))

  it('is a request of an admin with a reason', async () => {
    expect(await change('n0', { drained: true, reason: 'x' }, ada)).toMatchObject({ status: 403 })
    expect(await change('n0', { drained: true })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'reason' }] },
    })
    expect(await change('n9', { drained: true, reason: 'x' })).toMatchObject({ status: 404 })
    expect(await change('n0', { drained: true, reason: 'new fan' })).toMatchObject({
      status: 202,
      body: {
        name: 'n0',
        request: { drained: true, reason: 'new fan', requested_by: admin.actor.handle, problem: null },
      },
    })
    const { rows } = await db.pool.query(
      `SELECT target, detail FROM audit_events WHERE action = 'slurm_node_drained'`,
    )
    expect(rows).toEqual([{ target: 'n0', detail: { reason: 'new fan' } }])
  })

  it('is passed on to Slurm once, in the order of the requests', async () => {
    await change('n1', { drained: true, reason: 'old' })
    await change('n0', { drained: false })
    // The later wish for a node replaces the earlier one.
    await change('n1', { drained: true, reason: 'new fan' })
    const calls: unknown[] = []
    const setDrained = async (...call: unknown[]) => void calls.push(call)
    expect(await applyNodeRequests({ setDrained })).toBe(2)
    expect(calls).toEqual([
      ['n0', null],
      ['n1', 'new fan'],
    ])
    expect(await applyNodeRequests({ setDrained })).toBe(0)
  })

  it('waits while Slurm does not answer, and shows why Slurm refused it', async () => {
    await change('n0', { drained: true, reason: 'new fan' })
    const away = { setDrained: async () => Promise.reject(new SlurmUnavailable('no answer')) }
    expect(await applyNodeRequests(away)).toBe(0)
    const refuses = { setDrained: async () => Promise.reject(new Error('Invalid user id')) }
    expect(await applyNodeRequests(refuses)).toBe(0)
    expect((await call(slurmRoutes.get, '/api/slurm', admin)).body).toMatchObject({
      nodes: [{ request: { problem: 'Invalid user id' } }, { request: null }, { request: null }],
    })
    // It is not repeated until an admin asks again.
    const accepts = { setDrained: async () => {} }
    expect(await applyNodeRequests(accepts)).toBe(0)
    await change('n0', { drained: true, reason: 'new fan' })
    expect(await applyNodeRequests(accepts)).toBe(1)
    expect((await call(slurmRoutes.get, '/api/slurm', ada)).body).toMatchObject({
      nodes: [{ request: null }, {}, {}],
    })
  })
})

describe('where jobs go', () => {
  const path = '/api/slurm/targets'
  const create = (body: unknown, who = admin) =>
    call(slurmRoutes.createTarget, path, { method: 'POST', body, ...who })
  const list = async () => (await call(slurmRoutes.targets, path, admin)).body

  it('is set for a project, a pool and all jobs, once each', async () => {
    await makeJob({ userId: ada.actor.userId, project: 'thesis' })
    const project = `${ada.actor.handle}/thesis`
    expect(await create({ partition: 'gpu' }, ada)).toMatchObject({ status: 403 })
    const added = await create({ account: 'lab' })
    expect(added).toMatchObject({
      status: 201,
      body: { owner: null, project_id: null, pool: null, account: 'lab' },
    })
    expect(await create({ qos: 'high' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('all jobs') },
    })
    expect((await create({ pool: 'best-effort', qos: 'low', partition: 'debug' })).status).toBe(201)
    const made = await create({ project: project.toUpperCase(), account: 'thesis', reservation: 'defence' })
    expect(made).toMatchObject({
      status: 201,
      body: { owner: ada.actor.handle, project_id: 'thesis', qos: null },
    })
    expect(await list()).toMatchObject([
      { project_id: 'thesis' },
      { pool: 'best-effort' },
      { account: 'lab' },
    ])

    const { id } = made.body as { id: string }
    const at = { params: { id }, ...admin }
    const replaced = await call(slurmRoutes.updateTarget, `${path}/${id}`, {
      method: 'PUT',
      body: { partition: 'gpu' },
      ...at,
    })
    expect(replaced).toMatchObject({
      status: 200,
      body: { account: null, partition: 'gpu', reservation: null },
    })
    expect(await call(slurmRoutes.removeTarget, `${path}/${id}`, { method: 'DELETE', ...at })).toMatchObject({
      status: 204,
    })
    expect(await call(slurmRoutes.removeTarget, `${path}/${id}`, { method: 'DELETE', ...at })).toMatchObject({
      status: 404,
    })
    const { rows } = await db.pool.query(
      `SELECT action, target FROM audit_events WHERE action LIKE 'slurm_target%' AND target LIKE 'project%' ORDER BY at, id`,
    )
    expect(rows).toEqual([
      { action: 'slurm_target_created', target: `project ${project.toUpperCase()}` },
      { action: 'slurm_target_updated', target: `project ${project}` },
      { action: 'slurm_target_deleted', target: `project ${project}` },
    ])
  })

  it('is refused with the field at fault', async () => {
    const refused = async (body: unknown) => {
      const answer = await create({ pool: 'reserved', ...(body as object) })
      return [answer.status, (answer.body as { errors: { path: string }[] }).errors[0]?.path]
    }
    expect(await refused({ partition: 'gpus' })).toEqual([422, 'partition'])
    expect(await refused({ partition: '--wrap=id' })).toEqual([422, 'partition'])
    expect(await refused({ project: 'nobody/nothing' })).toEqual([422, 'project'])
    expect(await refused({ account: 'a b' })).toEqual([422, 'account'])
    expect(await refused({ project: 'thesis' })).toEqual([422, 'project'])
    const answer = await create({ pool: 'reserved', partition: 'gpus' })
    expect((answer.body as { detail: string }).detail).toContain('it has gpu, debug')
  })
})
