import { beforeAll, expect, it, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, type Person } from '../access/testing/people'
import { createJob } from '../agents/submit-tools'
import { createJobSchema } from '../agents/tool-schemas'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { registerAllEngines } from '../engines'
import { projectRoutes } from '../routes/access/projects'
import { clusterRoutes } from '../routes/cluster/cluster'
import { jobRoutes } from '../routes/jobs/jobs'
import { orchestratorRoutes } from '../routes/queue/orchestrator'
import { queueRoutes } from '../routes/queue/queue'
import { upload } from '../routes/testing/upload'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_ENGINE', 'slurm')
})
registerAllEngines()
const db = testDatabase()

const node = (name: string, partition: string, count: number) => ({
  name,
  partitions: [partition],
  cpus: 64,
  memoryMib: 512_000,
  gpus: [{ type: 'a100', count, used: 0 }],
})
const partitions = [
  { name: 'gpu', isDefault: true, maxNodes: null },
  { name: 'large', isDefault: false, maxNodes: null },
]

let admin = {} as Person
beforeAll(async () => {
  admin = await makePerson('admin')
  await makeJob()
  await db.pool.query('UPDATE policies SET default_requirement_milli = 500')
  await db.pool.query(
    `UPDATE slurm_cluster SET read_at = '2026-11-23T10:00:00Z', version = '22.05.8',
            problem = NULL, nodes = $1, partitions = $2`,
    [JSON.stringify([node('n0', 'gpu', 4), node('n1', 'large', 8)]), JSON.stringify(partitions)],
  )
})

const post = (body: unknown) =>
  call(queueRoutes.submit, '/api/queue/submit', { method: 'POST', body, ...admin })

/** Whether Slurm answers. Nothing of what was read before is kept in this process. */
async function setProblem(problem: string | null): Promise<void> {
  await db.pool.query('UPDATE slurm_cluster SET problem = $1', [problem])
  delete (globalThis as { gpuqSlurmCluster?: unknown }).gpuqSlurmCluster
}

it('refuses a job that Slurm cannot run, with the key and the reason', async () => {
  const answer = await post({ command: 'true', gpu_model: 'H200' })
  expect(answer).toMatchObject({
    status: 422,
    body: {
      code: 'never_fits',
      detail: 'gpu_model: no GPU of this Slurm cluster is a "H200": it has a100',
      errors: [{ path: 'gpu_model' }],
    },
  })
  expect((await post({ command: 'true', gpu_fraction: 0.5 })).status).toBe(422)
  expect((await post({ command: 'true', gpu_memory_gb: 16 })).status).toBe(422)
})

it('accepts other jobs, and all sizes while Slurm does not answer', async () => {
  expect((await post({ command: 'true', gpu_model: 'A100' })).status).toBe(201)
  await setProblem('slurmctld did not answer within 10 s.')
  expect((await post({ command: 'true', gpu_model: 'H200', gpu_count: 8 })).status).toBe(201)
  const answer = await call(orchestratorRoutes.status, '/api/orchestrator/status', admin)
  expect(answer.body).toMatchObject({
    engine: 'slurm',
    queued: 3,
    slurm: {
      version: '22.05.8',
      problem: 'slurmctld did not answer within 10 s.',
      read_at: '2026-11-23T10:00:00.000Z',
    },
  })
  await setProblem(null)
})

it('refuses a job that needs more than its partition can ever give', async () => {
  const refusal = (key: string, nearest: number, why: string) => ({
    status: 422,
    body: {
      code: 'never_fits',
      detail: `This job cannot start: ${why}. The nearest request that fits: ${key}: ${nearest}.`,
      errors: [{ path: key }],
      nearest: { [key]: nearest },
    },
  })
  expect(await post({ command: 'true', gpu_count: 8 })).toMatchObject(
    refusal('gpu_count', 4, 'it asks for 8 GPUs, and the largest node of the Slurm partition "gpu" has 4'),
  )
  expect(await post({ command: 'true', gpu_count: 8, gpu_model: 'NVIDIA A100-SXM4-80GB' })).toMatchObject({
    body: { code: 'never_fits', nearest: { gpu_count: 4 } },
  })
  expect(await post({ command: 'true', instance_count: 2 })).toMatchObject(
    refusal('instance_count', 1, 'it asks for 2 nodes, and the Slurm partition "gpu" has 1 node'),
  )
  // The jobs of this project go to another partition.
  await db.pool.query(
    `INSERT INTO slurm_targets (id, project_id, partition) SELECT gen_random_uuid(), id, 'large' FROM projects WHERE slug = 'default'`,
  )
  expect((await post({ command: 'true', gpu_count: 8 })).status).toBe(201)
  expect((await post({ command: 'true', gpu_count: 8, project_id: 'other' })).status).toBe(422)
})

it('offers what the partition has to a job that waits in Slurm and never fits', async () => {
  const job = await makeJob({ userId: admin.id, spec: { gpu_count: 8 } })
  await db.pool.query(
    `INSERT INTO slurm_jobs (id, job_id, secret_hash, slurm_id, state) VALUES (gen_random_uuid(), $1, '', 7, 'PENDING')`,
    [job],
  )
  const { body } = await call(jobRoutes.get, `/api/status/${job}`, { ...admin, params: { id: job } })
  expect(body).toMatchObject({ nearest: { gpu_count: 4 } })
})

it('refuses such a job on every way of submission, with the same reason', async () => {
  const detail =
    'This job cannot start: it asks for 8 GPUs, and the largest node of the Slurm partition "gpu" has 4. The nearest request that fits: gpu_count: 4.'
  const errors = [{ path: 'gpu_count', message: 'must be at most 4: no node has more' }]
  const refused = { status: 422, body: { code: 'never_fits', detail, errors } }
  const ada = await makePerson()
  const forOther = (user: string, keys: object) =>
    post({ command: 'true', project_id: 'other', user, ...keys })
  expect(await forOther(ada.handle.toUpperCase(), { gpu_count: 8 })).toMatchObject(refused)
  expect(await forOther('nobody-yet', { gpu_count: 8 })).toMatchObject(refused)
  const users = await db.pool.query(`SELECT 1 FROM users WHERE handle = 'nobody-yet'`)
  expect(users.rowCount).toBe(0)
  expect(await upload(ada, { config: 'gpu_count: 8' })).toMatchObject(refused)
  await db.pool.query(`INSERT INTO model_requirements (name, milli) VALUES ('huge', 8000)`)
  expect(await upload(ada, { config: 'args: --llm huge' })).toMatchObject(refused)
  const tool = { actor: ada.actor, origin: 'http://localhost:8001', signal: new AbortController().signal }
  const asked = { name: 'too large', command: 'true', gpu_count: 8, instance_count: 1 }
  await expect(createJob(tool, createJobSchema.parse(asked))).rejects.toMatchObject({
    message: refused.body.detail,
    errors,
  })
  expect((await forOther(ada.handle, { gpu_count: 4 })).status).toBe(201)
})

it('decides by the partition of the owner of a job, not of the admin who submits it', async () => {
  const bob = await makePerson()
  await post({ command: 'true', project_id: 'big', user: bob.handle })
  await db.pool.query(
    `INSERT INTO slurm_targets (id, project_id, partition) SELECT gen_random_uuid(), id, 'large' FROM projects WHERE slug = 'big'`,
  )
  const body = { command: 'true', project_id: 'big', gpu_count: 8 }
  expect((await post({ ...body, user: bob.handle })).status).toBe(201)
  expect((await post(body)).status).toBe(422)
})

it('gives a model that needs a part of a GPU a whole one, because these GPUs are not divided', async () => {
  const { status: code, body } = await post({ command: 'python x.py --llm tiny' })
  expect(code).toBe(201)
  const { rows } = await db.pool.query(`SELECT spec->'gpu_fraction' AS part FROM jobs WHERE id = $1`, [
    (body as { job_id: string }).job_id,
  ])
  expect(rows[0].part).toBeNull()
})

it('changes only the fields of the policy that apply', async () => {
  const change = (body: unknown) =>
    call(orchestratorRoutes.updatePolicy, '/api/orchestrator/policy', { method: 'PUT', body, ...admin })
  expect(await change({ scheduling_policy: 'fair_share' })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'scheduling_policy' }] },
  })
  // The value that it has is no change.
  expect(await change({ scheduling_policy: 'priority', max_queue_size: 500 })).toMatchObject({
    status: 200,
    body: { max_queue_size: 500 },
  })
})

it('refuses shares of projects, which Slurm would not follow', async () => {
  const { rows } = await db.pool.query('SELECT id FROM projects LIMIT 1')
  const change = (shares: unknown) =>
    call(projectRoutes.update, '/api/projects/x', {
      method: 'PATCH',
      body: { shares },
      params: { id: rows[0].id },
      ...admin,
    })
  expect(await change({ gpu_quota: 4 })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'shares.gpu_quota' }] },
  })
  expect(await change({ weight: 1, gpu_quota: null })).toMatchObject({ status: 200 })
})

it('refuses to pause nodes and GPUs, and to simulate nodes', async () => {
  const { nodeId } = await makeNode()
  const { rows } = await db.pool.query(
    'SELECT n.number, g.id FROM nodes n JOIN gpus g ON g.node_id = n.id WHERE n.id = $1',
    [nodeId],
  )
  const paused = { method: 'PATCH', body: { paused: true }, ...admin }
  const node = await call(clusterRoutes.updateNode, `/api/nodes/${rows[0].number}`, {
    ...paused,
    params: { id: `${rows[0].number}` },
  })
  expect(node).toMatchObject({ status: 409 })
  expect(JSON.stringify(node.body)).toContain('Drain the node')
  expect(
    await call(clusterRoutes.updateGpu, '/api/gpus/x', { ...paused, params: { id: rows[0].id } }),
  ).toMatchObject({
    status: 409,
  })
  expect(
    await call(clusterRoutes.initialize, '/api/gpu/initialize', { method: 'POST', body: {}, ...admin }),
  ).toMatchObject({ status: 409 })
})
