import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { deregisterNode, drainNode, type Lease } from '../../cluster/nodes/nodes'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { clusterGpuSchema, clusterNodeSchema } from '../../contract/cluster/cluster'
import { channels, listener } from '../../database/listen'
import { testDatabase } from '../../database/testing/test-database'
import { apiRoutes } from '../routes'
import { clusterRoutes } from './cluster'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
let lease: Lease
let [nodeId, gpuId] = ['', '']
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, audit_events CASCADE')
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
  lease = await makeNode({ name: 'one', gpus: 2 })
  const { rows } = await db.pool.query(
    'SELECT n.number, g.id FROM nodes n JOIN gpus g ON g.node_id = n.id ORDER BY g.index',
  )
  ;[nodeId, gpuId] = [String(rows[0].number), rows[0].id]
})

type Who = { cookie?: string; token?: string }
const patchNode = (body: unknown, id = nodeId, who: Who = admin) =>
  call(clusterRoutes.updateNode, '/api/nodes/x', { method: 'PATCH', body, params: { id }, ...who })
const patchGpu = (body: unknown, id = gpuId, who: Who = admin) =>
  call(clusterRoutes.updateGpu, '/api/gpus/x', { method: 'PATCH', body, params: { id }, ...who })

async function audited(): Promise<string[]> {
  const { rows } = await db.pool.query('SELECT action, target, detail FROM audit_events ORDER BY id')
  return rows.map(({ action, target, detail }) => [action, target, detail.reason].filter(Boolean).join(' '))
}

async function quarantine(): Promise<void> {
  await db.pool.query(
    `UPDATE nodes SET quarantined_at = now(), quarantine_reason = 'no image', failures_in_row = 3`,
  )
}

/** All state that a rejected request could have changed. */
async function state(): Promise<unknown> {
  const nodes = await db.pool.query('SELECT paused_at, pause_reason, quarantined_at FROM nodes')
  const gpus = await db.pool.query('SELECT paused_at, pause_reason FROM gpus')
  return [nodes.rows, gpus.rows, await audited()]
}

describe('pausing a node', () => {
  it('stores the reason, lets its jobs finish, and is in the audit log once', async () => {
    await placeManually(lease.nodeId, await makeJob({ userId: ada.id }))
    const { status, body } = await patchNode({ paused: true, reason: 'new disks' })
    expect(status).toBe(200)
    expect(clusterNodeSchema.parse(body)).toMatchObject({
      node_id: Number(nodeId),
      state: 'paused',
      reason: 'An admin paused it: new disks.',
      gpus: [{ state: 'full', jobs: [{ user_id: ada.handle }] }, { state: 'closed' }],
    })
    expect((await patchNode({ paused: true })).body).toEqual(body)
    expect((await patchNode({})).body).toEqual(body)
    expect(await audited()).toEqual(['node_paused one new disks'])
  })

  it('accepts a new reason without a new start time', async () => {
    await patchNode({ paused: true, reason: 'new disks' })
    const { rows: before } = await db.pool.query('SELECT paused_at FROM nodes')
    expect((await patchNode({ reason: 'new fans' })).body).toMatchObject({
      reason: 'An admin paused it: new fans.',
    })
    expect((await db.pool.query('SELECT paused_at FROM nodes')).rows).toEqual(before)
  })

  it('ends with a resume, which notifies the scheduler', async () => {
    const heard: (string | null)[] = []
    const stop = await listener().listen('queue', (payload) => heard.push(payload))
    await patchNode({ paused: true })
    // The pause notifies it too, a moment after its answer.
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    await db.pool.query(`NOTIFY ${channels.queue}, 'marker'`)
    await expect.poll(() => heard).toContain('marker')
    const before = heard.length
    expect((await patchNode({ paused: false })).body).toMatchObject({ state: 'ready', reason: null })
    await expect.poll(() => heard.length).toBeGreaterThan(before)
    stop()
    expect((await patchNode({ paused: false })).status).toBe(200)
    expect(await audited()).toEqual(['node_paused one', 'node_resumed one'])
  })

  it('survives its worker: a node that leaves while paused returns paused', async () => {
    await drainNode(lease)
    expect((await patchNode({ paused: true })).body).toMatchObject({ state: 'paused' })
    await deregisterNode(lease)
    expect((await patchNode({})).body).toMatchObject({ state: 'drained' })
    await makeNode({ name: 'one', gpus: 2 })
    expect((await patchNode({})).body).toMatchObject({ state: 'paused' })
    expect((await patchNode({ paused: false })).body).toMatchObject({ state: 'ready' })
  })
})

describe('a quarantine', () => {
  it('ends with its failures reset, and only once', async () => {
    await quarantine()
    expect((await patchNode({ quarantined: false })).body).toMatchObject({ state: 'ready', reason: null })
    expect((await patchNode({ quarantined: false })).status).toBe(200)
    const { rows } = await db.pool.query('SELECT failures_in_row, quarantine_reason FROM nodes')
    expect(rows).toEqual([{ failures_in_row: 0, quarantine_reason: null }])
    expect(await audited()).toEqual(['quarantine_ended one'])
  })

  it('does not end with a resume, and cannot be started by an admin', async () => {
    await quarantine()
    await patchNode({ paused: true })
    expect((await patchNode({ paused: false })).body).toMatchObject({ state: 'quarantined' })
    expect((await patchNode({ quarantined: true })).status).toBe(422)
  })
})

describe('pausing a GPU', () => {
  it('stops allocations of this GPU only, until it is resumed', async () => {
    const { status, body } = await patchGpu({ paused: true, reason: 'it overheats' })
    expect(status).toBe(200)
    expect(clusterGpuSchema.parse(body)).toMatchObject({
      gpu_id: gpuId,
      state: 'paused',
      reason: 'An admin paused it: it overheats.',
    })
    const { body: node } = await patchNode({})
    expect(clusterNodeSchema.parse(node).gpus.map(({ state }) => state)).toEqual(['paused', 'free'])
    expect((await patchGpu({ paused: true }, gpuId.toUpperCase())).body).toEqual(body)
    expect((await patchGpu({ paused: false })).body).toMatchObject({ state: 'free', reason: null })
    expect((await patchGpu({ paused: false })).status).toBe(200)
    expect(await audited()).toEqual(['gpu_paused one/0 it overheats', 'gpu_resumed one/0'])
  })
})

describe('a request without effect', () => {
  it('is one of a user who is not an admin', async () => {
    const before = await state()
    const reader = await makeToken(admin, ['read', 'submit'])
    for (const patch of [patchNode, patchGpu]) {
      const id = patch === patchNode ? nodeId : gpuId
      expect((await patch({ paused: true }, id, {})).status).toBe(401)
      expect((await patch({ paused: true }, id, ada)).status).toBe(403)
      expect((await patch({ paused: true }, id, reader)).status).toBe(403)
      const foreign = {
        ...admin,
        headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      }
      expect((await patch({ paused: true }, id, foreign)).status).toBe(403)
    }
    expect(await state()).toEqual(before)
  })

  it('is a GET, which does not exist', () => {
    const methods = ['/api/nodes/{id}', '/api/gpus/{id}', '/api/gpu/initialize'].map((path) =>
      Object.keys(apiRoutes.get(path) ?? {}).sort(),
    )
    expect(methods).toEqual([['DELETE', 'PATCH'], ['DELETE', 'PATCH'], ['POST']])
  })

  it('is one for an unknown node or GPU', async () => {
    const before = await state()
    const numbers = [
      '',
      '-1',
      '00',
      '1.5',
      '0x0',
      '1e1',
      ' 0',
      '999999999',
      '99999999999999999999',
      "0' OR 1=1",
      'one',
    ]
    for (const id of [...numbers, lease.nodeId, gpuId, '\0', '٣']) {
      expect([id, (await patchNode({ paused: true }, id)).status]).toEqual([id, 404])
    }
    for (const id of ['', '0', 'x', '\0', "' OR 1=1", randomUUID(), lease.nodeId, lease.leaseId]) {
      expect([id, (await patchGpu({ paused: true }, id)).status]).toEqual([id, 404])
    }
    expect(await state()).toEqual(before)
  })

  it('is an invalid one', async () => {
    const before = await state()
    const wrong = [
      { paused: 'yes' },
      { paused: true, pause: true },
      { paused: true, reason: '' },
      { paused: true, reason: 'x'.repeat(201) },
      { paused: true, reason: 'two\nlines' },
      { paused: true, reason: 'nul \0' },
      { reason: 'of nothing' },
      { state: 'ready' },
      [],
      null,
      'true',
    ]
    for (const body of wrong) {
      const answers = [await patchNode(body), await patchGpu(body)]
      expect([body, ...answers.map(({ status }) => status)]).toEqual([body, 422, 422])
    }
    expect((await patchNode('{')).status).toBe(400)
    expect((await patchGpu({})).status).toBe(422)
    expect(await state()).toEqual(before)
  })
})

describe('two concurrent pauses', () => {
  it('run one after the other and make one pause', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => patchNode({ paused: true, reason: 'x' })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await audited()).toEqual(['node_paused one x'])
  })
})
