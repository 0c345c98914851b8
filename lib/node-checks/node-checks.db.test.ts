import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { deregisterNode, type Lease } from '../cluster/nodes/nodes'
import { makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { clusterRoutes } from '../routes/cluster/cluster'
import { type NodeCheck, nodeReportsSchema } from './contract'
import { isCheckRequested, readCheckSubject, recordChecks } from './node-checks'
import { nodeCheckRoutes } from './routes'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [admin, ada] = [] as unknown as [Person, Person]
let [one, two] = [] as unknown as [Lease, Lease]
beforeEach(async () => {
  await db.pool.query('TRUNCATE nodes, users, environments CASCADE')
  ;[admin, ada] = [await makePerson('admin'), await makePerson()]
  one = await makeNode({ name: 'one', gpus: 2 })
  two = await makeNode({ name: 'two', gpus: 1 })
})

const check = (id: string, status: NodeCheck['status']): NodeCheck => ({
  id,
  title: id,
  status,
  found: `${id} is ${status}`,
  action: status === 'ok' ? null : 'Do it.',
})
const checks = [check('clock', 'ok'), check('engine', 'warning'), check('seccomp', 'failure')]

const readAs = (who: Person) => call(nodeCheckRoutes.nodeReports, '/api/nodes/checks', { ...who })
const request = (id: string, who = admin) =>
  call(nodeCheckRoutes.checkNode, '/api/nodes/x/checks', { method: 'POST', params: { id }, ...who })

async function numberOf(name: string): Promise<string> {
  const { rows } = await db.pool.query('SELECT number FROM nodes WHERE name = $1', [name])
  return String(rows[0].number)
}

async function startedAt(lease: Lease): Promise<Date> {
  const subject = await readCheckSubject(lease)
  if (!subject) throw new Error('The lease is lost.')
  return subject.startedAt
}

async function reports() {
  return nodeReportsSchema.parse((await readAs(admin)).body)
}

describe('reports', () => {
  it('list nodes and checks with problems first', async () => {
    await recordChecks(two, await startedAt(two), checks)
    expect(await reports()).toMatchObject([
      {
        name: 'two',
        state: 'ready',
        checked_at: expect.any(String),
        checking: false,
        failures: 1,
        warnings: 1,
        checks: [{ id: 'seccomp' }, { id: 'engine' }, { id: 'clock' }],
      },
      { name: 'one', checked_at: null, checking: false, failures: 0, warnings: 0, checks: [] },
    ])
  })

  it('are replaced by the next check', async () => {
    await recordChecks(one, await startedAt(one), checks)
    await recordChecks(one, await startedAt(one), [check('clock', 'ok')])
    expect((await reports())[0]).toMatchObject({ name: 'one', failures: 0, checks: [{ id: 'clock' }] })
  })

  it('are for admins only', async () => {
    expect((await readAs(ada)).status).toBe(403)
    expect((await request(await numberOf('one'), ada)).status).toBe(403)
  })

  it('reports of a worker that lost its lease are not stored', async () => {
    const began = await startedAt(one)
    await deregisterNode(one)
    await recordChecks(one, began, checks)
    expect(await readCheckSubject(one)).toBeNull()
    expect((await reports()).find(({ name }) => name === 'one')?.checks).toEqual([])
  })

  it('do not include simulated nodes', async () => {
    await db.pool.query("UPDATE nodes SET simulated = true, host_node_id = $1 WHERE name = 'two'", [
      one.nodeId,
    ])
    expect((await reports()).map(({ name }) => name)).toEqual(['one'])
    expect((await request(await numberOf('two'))).status).toBe(409)
  })
})

it('shows the number of failures with the node, to admins only', async () => {
  await recordChecks(one, await startedAt(one), checks)
  const failed = async (who: Person) => {
    const { body } = await call(clusterRoutes.get, '/api/cluster', { ...who })
    return (body as { nodes: { failed_checks: number }[] }).nodes.map((node) => node.failed_checks)
  }
  expect(await failed(admin)).toEqual([1, 0])
  expect(await failed(ada)).toEqual([0, 0])
})

describe('a requested check', () => {
  it('is seen by the worker of the node until a later check is stored', async () => {
    await recordChecks(one, await startedAt(one), checks)
    const { status, body } = await request(await numberOf('one'))
    expect([status, body]).toEqual([202, expect.objectContaining({ name: 'one', checking: true })])
    expect(await isCheckRequested(one)).toBe(true)
    expect(await isCheckRequested(two)).toBe(false)
    await recordChecks(one, await startedAt(one), checks)
    expect(await isCheckRequested(one)).toBe(false)
    expect((await reports())[0]).toMatchObject({ name: 'one', checking: false })
  })

  it('is not answered by a check that began before it', async () => {
    const earlier = new Date((await startedAt(one)).getTime() - 60_000)
    await request(await numberOf('one'))
    await recordChecks(one, earlier, checks)
    expect(await isCheckRequested(one)).toBe(true)
  })

  it('needs a worker', async () => {
    await deregisterNode(one)
    const { status, body } = await request(await numberOf('one'))
    expect([status, body]).toMatchObject([409, { detail: expect.stringContaining('Start its worker') }])
    expect((await request('99')).status).toBe(404)
  })
})

it('uses only real GPUs that nobody uses, and knows what environments need', async () => {
  await db.pool.query(
    `UPDATE gpus SET simulated = false, uuid = 'GPU-' || index, allocated_milli = CASE index WHEN 0 THEN 500 ELSE 0 END
      WHERE node_id = $1`,
    [one.nodeId],
  )
  expect(await readCheckSubject(one)).toMatchObject({
    image: null,
    freeGpus: ['GPU-1'],
    hasInternetJobs: false,
  })
  await db.pool.query(
    `INSERT INTO environments (id, name, image, is_default, network)
     VALUES (gen_random_uuid(), 'python', 'an/image:1', true, 'internet')`,
  )
  expect(await readCheckSubject(one)).toMatchObject({ image: 'an/image:1', hasInternetJobs: true })
})
