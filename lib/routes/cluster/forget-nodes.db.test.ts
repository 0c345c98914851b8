import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { markGpuMissing, recordGpu } from '../../cluster/gpus/gpu-samples'
import { markExpiredNodesLost } from '../../cluster/nodes/lost-nodes'
import { deregisterNode, type Lease, offerNode, registerNode, renewLease } from '../../cluster/nodes/nodes'
import { readCluster } from '../../cluster/overview/read-cluster'
import { takeSnapshot } from '../../cluster/placement/snapshot'
import { initializeSimulatedNodes } from '../../cluster/simulated/simulated-nodes'
import { finishTask } from '../../cluster/tasks/finish-task'
import { unfinishedTasks } from '../../cluster/tasks/tasks'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, readBooks } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { readJob } from '../../jobs/read/read'
import { clusterRoutes } from './cluster'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const model = { model: 'NVIDIA A100', memoryMib: 40_960 }
const gpus = [0, 1].map((index) => ({ index, uuid: `GPU-${index}`, ...model, simulated: false }))
const machine = { name: 'lab-a', engineId: 'engine', engineVersion: '29.5', warnings: [], cpuMilli: 8000 }

/** A worker with two real GPUs starts or starts again. */
async function serve(found = gpus): Promise<Lease> {
  const lease = await registerNode({ ...machine, memoryMib: 16_000, gpus: found })
  await offerNode(lease)
  return lease
}

let [admin, ada] = [] as unknown as [Person, Person]
let lease: Lease
let number = ''
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, audit_events CASCADE')
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
  lease = await serve()
  number = String((await db.pool.query('SELECT number FROM nodes')).rows[0].number)
})

type Who = { cookie?: string; token?: string }
const forgetNode = (id = number, who: Who = admin) =>
  call(clusterRoutes.forgetNode, '/api/nodes/x', { method: 'DELETE', params: { id }, ...who })
const forgetGpu = (id: string, who: Who = admin) =>
  call(clusterRoutes.forgetGpu, '/api/gpus/x', { method: 'DELETE', params: { id }, ...who })
const pause = (id: string) =>
  call(clusterRoutes.updateGpu, '/api/gpus/x', {
    method: 'PATCH',
    body: { paused: true },
    params: { id },
    ...admin,
  })

async function idOf(uuid: string): Promise<string> {
  return (await db.pool.query('SELECT id FROM gpus WHERE uuid = $1', [uuid])).rows[0].id
}

/** The visible cluster: each node with the numbers and states of its GPUs. */
async function listed(): Promise<string[]> {
  const { nodes } = await readCluster(ada.actor)
  return nodes.map(({ name, state, gpus: of }) =>
    [name, state, ...of.map((gpu) => `${gpu.index}:${gpu.state}`)].join(' '),
  )
}

/** The worker stopped renewing its lease, and the leader declared the node lost. */
async function lose(): Promise<void> {
  await db.pool.query("UPDATE nodes SET lease_expires_at = now() - interval '1 minute'")
  await markExpiredNodesLost()
}

const audited = async () => (await db.pool.query('SELECT action, target FROM audit_events ORDER BY id')).rows

describe('a GPU that its node no longer finds', () => {
  const found = { ...model, load: 0, memoryUsedMib: 0, temperatureC: 30, powerW: 50, fault: null }

  it('can be forgotten by an admin, stays in past jobs, and returns when its node finds it again', async () => {
    const job = await makeJob({ userId: ada.id })
    await placeManually(lease.nodeId, job, { indices: [1] })
    const [task] = await unfinishedTasks(lease)
    if (!task) throw new Error('nothing runs')
    await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
    const gpu = await idOf('GPU-1')
    await pause(gpu)
    await markGpuMissing(lease, gpu)
    expect(await listed()).toEqual(['lab-a ready 0:free 1:missing'])
    expect((await forgetGpu(gpu)).status).toBe(204)
    expect(await listed()).toEqual(['lab-a ready 0:free'])
    expect((await forgetGpu(gpu)).status).toBe(404)
    expect((await pause(gpu)).status).toBe(404)
    expect((await audited()).at(-1)).toEqual({ action: 'gpu_forgotten', target: 'lab-a/1' })
    expect(await readJob(ada.actor, job)).toMatchObject({
      node_name: 'lab-a',
      gpus: [{ uuid: 'GPU-1', index: 1, milli: 1000 }],
      resources: { got: [{ node: 'lab-a', gpus: [{ gpu_id: gpu, index: 1 }] }] },
    })
    await recordGpu(lease, { ...found, index: 1, uuid: 'GPU-1' }, null, false)
    expect(await listed()).toEqual(['lab-a ready 0:free 1:free'])
    expect(await idOf('GPU-1')).toBe(gpu)
  })

  it('returns if a worker finds it at its start', async () => {
    const gpu = await idOf('GPU-1')
    await markGpuMissing(lease, gpu)
    await forgetGpu(gpu)
    lease = await serve(gpus.slice(0, 1))
    expect(await listed()).toEqual(['lab-a ready 0:free'])
    await serve()
    expect(await listed()).toEqual(['lab-a ready 0:free 1:free'])
  })

  it('cannot be forgotten while it is present or allocated; the error says what to do', async () => {
    const gpu = await idOf('GPU-1')
    const there = await forgetGpu(gpu)
    expect(there).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/is present.*pause it/) },
    })
    await placeManually(lease.nodeId, await makeJob(), { indices: [1] })
    await markGpuMissing(lease, gpu)
    const held = await forgetGpu(gpu)
    expect(held).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/still holds.*cancel it/) },
    })
    await lose()
    expect((await forgetGpu(gpu)).status).toBe(204)
    const lost = await forgetGpu(await idOf('GPU-0'))
    expect(lost).toMatchObject({ status: 409, body: { detail: expect.stringContaining('forget the node') } })
    expect(await audited()).toHaveLength(1)
  })
})

describe('a node without a worker', () => {
  it('can be forgotten by an admin, stays in past jobs, and returns when a worker serves it again', async () => {
    const job = await makeJob({ userId: ada.id, maxRetries: 0 })
    await placeManually(lease.nodeId, job, { indices: [0] })
    await db.pool.query(
      "UPDATE nodes SET quarantined_at = now(), quarantine_reason = 'x', failures_in_row = 3",
    )
    await pause(await idOf('GPU-0'))
    await lose()
    expect((await forgetNode()).status).toBe(204)
    expect(await listed()).toEqual([])
    expect((await takeSnapshot()).snapshot.nodes).toEqual([])
    expect((await forgetNode()).status).toBe(404)
    expect((await audited()).at(-1)).toEqual({ action: 'node_forgotten', target: 'lab-a' })
    expect(await readJob(ada.actor, job)).toMatchObject({
      reason: 'node_lost',
      node_id: Number(number),
      node_name: 'lab-a',
      gpus: [{ uuid: 'GPU-0' }],
    })
    const back = await serve(gpus.slice(0, 1))
    expect(back.nodeId).toBe(lease.nodeId)
    expect(await listed()).toEqual(['lab-a ready 0:free'])
    const { nodes } = await readCluster(ada.actor)
    expect(nodes).toMatchObject([{ node_id: Number(number) }])
  })

  it('cannot be forgotten while a worker serves it or jobs are on it', async () => {
    expect(await forgetNode()).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/A worker serves lab-a\. Stop its worker/) },
    })
    await placeManually(lease.nodeId, await makeJob())
    // Its worker has left or is silent, and the leader has not noticed yet.
    await deregisterNode(lease)
    expect(await forgetNode()).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/Jobs are still on lab-a\..*Try again then/) },
    })
    expect(await listed()).toEqual(['lab-a drained 0:full 1:closed'])
    await lose()
    expect((await forgetNode()).status).toBe(204)
  })

  it('releases the resources of containers that could not be killed', async () => {
    const task = await placeManually(lease.nodeId, await makeJob())
    await db.pool.query(
      "UPDATE tasks SET status = 'failed', reason = 'timeout', ended_at = now() WHERE id = $1",
      [task],
    )
    await lose()
    expect(await readBooks()).toEqual({ gpus: 1000, allocations: 1000 })
    expect((await forgetNode()).status).toBe(204)
    expect(await readBooks()).toEqual({ gpus: 0, allocations: 0 })
  })

  it('does not return its lease to a worker that was only silent', async () => {
    await db.pool.query("UPDATE nodes SET lease_expires_at = now() - interval '1 second'")
    expect((await forgetNode()).status).toBe(204)
    expect(await renewLease(lease)).not.toBe('renewed')
    await offerNode(lease)
    expect(await listed()).toEqual([])
  })

  it('cannot be a simulated node: the dialog that creates simulated nodes removes them', async () => {
    await initializeSimulatedNodes(admin.actor, { nodeCount: 1, gpusPerNode: 2 })
    const { nodes } = await readCluster(admin.actor)
    const simulated = nodes.find(({ simulated: is }) => is)
    expect(await forgetNode(String(simulated?.node_id))).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('/gpu/initialize') },
    })
  })

  it('is either forgotten or served if both happen at once', async () => {
    for (let round = 0; round < 5; round++) {
      await lose()
      const [answer] = await Promise.all([forgetNode(), serve()])
      expect([204, 409]).toContain(answer.status)
      expect(await listed()).toEqual(['lab-a ready 0:free 1:free'])
    }
  })
})

it('only an admin can forget, and only existing nodes and GPUs', async () => {
  await lose()
  const gpu = await idOf('GPU-0')
  const reader = await makeToken(admin, ['read', 'submit'])
  const foreign = { ...admin, headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' } }
  for (const [who, status] of [
    [{}, 401],
    [ada, 403],
    [reader, 403],
    [foreign, 403],
  ] as const) {
    expect((await forgetNode(number, who)).status).toBe(status)
    expect((await forgetGpu(gpu, who)).status).toBe(status)
  }
  for (const id of ['', '-1', '999999999', '99999999999', "0' OR 1=1", lease.nodeId, '\0'])
    expect([id, (await forgetNode(id)).status]).toEqual([id, 404])
  for (const id of ['', '0', '\0', "' OR 1=1", lease.nodeId]) expect((await forgetGpu(id)).status).toBe(404)
  expect(await listed()).toEqual(['lab-a lost 0:closed 1:closed'])
})
