import { createHash } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../../access/testing/people'
import { createJob } from '../../agents/submit-tools'
import { createJobSchema } from '../../agents/tool-schemas'
import { takeSnapshot } from '../../cluster/placement/snapshot'
import { jobState, makeJob, makeNode } from '../../cluster/testing/rows'
import { parseConfig } from '../../contract/config/config'
import { queueSubmitSchema } from '../../contract/queue'
import { testDatabase } from '../../database/testing/test-database'
import { loadEnv } from '../../env'
import { submitToQueue } from '../../queue/submit'
import { plan } from '../../scheduling/plan'
import { accept } from './accept'
import type { Submission } from './insert-job'

const db = testDatabase()

let ada = {} as Person
beforeAll(async () => {
  await makeJob()
  ada = await makePerson()
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE nodes CASCADE')
  await db.pool.query("UPDATE role_limits SET job_limits = '{}'")
  ada.actor = { ...ada.actor, limits: { submissionsPerMinute: 1000, maxActiveJobs: 1000 } }
})
afterEach(() => {
  loadEnv({})
})

function submission(extra: string, changes: Partial<Submission> = {}): Submission {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 10\n${extra}`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const code = Buffer.from('print(1)')
  const bodyHash = createHash('sha256').update(code).digest()
  return { code, runId: null, config: parsed.config, bodyHash, idempotencyKey: null, ...changes }
}

const submit = (extra: string, changes: Partial<Submission> = {}) =>
  accept(ada.actor, submission(extra, changes))

describe('a job that no registered node can ever run', () => {
  it.each([
    ['gpu_count: 8', { gpu_count: 2 }],
    ['gpu_count: 2\ninstance_count: 3', { instance_count: 1 }],
    ['gpu_memory_gb: 80', { gpu_memory_gb: 25.7 }],
    ['gpu_model: H100', { gpu_model: 'Simulated GPU' }],
    ['allowed_gpus: [5]', { allowed_gpus: null }],
    ['pool: reserved', { pool: 'on-demand' }],
    ['cpu: 64', { cpu: 8 }],
    ['memory_gb: 64', { memory_gb: 15.6 }],
    ['gpu_count: 0\ncpu: 64\nmemory_gb: 64', { cpu: 8, memory_gb: 15.6 }],
    ['gpu_fraction: 0.5\nmemory_gb: 64', { memory_gb: 15.6 }],
  ])('%j is refused with the nearest request, which is accepted', async (keys, nearest) => {
    await makeNode({ name: 'big', gpus: 2 })
    await makeNode({ name: 'small', gpus: 1 })
    const refused = submission(keys)
    await expect(accept(ada.actor, refused)).rejects.toMatchObject({
      code: 'never_fits',
      status: 422,
      errors: Object.keys(nearest).map((path) => ({ path, message: expect.any(String) })),
    })
    const error = await accept(ada.actor, refused).catch((thrown) => thrown)
    expect(error.toProblem()).toMatchObject({ code: 'never_fits', nearest })
    const config = { ...refused.config, ...nearest } as Submission['config']
    if ('allowed_gpus' in nearest) config.allowed_gpus = undefined
    const { jobId } = await accept(ada.actor, { ...refused, config })
    expect(await jobState(jobId)).toMatchObject({ status: 'pending' })
  })

  it('is told what it asks for and what the largest node has', async () => {
    await makeNode({ name: 'big', gpus: 2 })
    await makeNode({ name: 'small', gpus: 1 })
    await expect(submit('gpu_count: 8')).rejects.toThrow(
      'This job cannot start: it asks for 8 GPUs, and the largest node has 2. The nearest request that fits: gpu_count: 2.',
    )
  })

  it('is refused on every way, and together with others that are accepted', async () => {
    await makeNode({ gpus: 2 })
    const never = { code: 'never_fits' }
    const command = (keys: object) =>
      submitToQueue(ada.actor, queueSubmitSchema.parse({ command: 'true', ...keys }), null)
    await expect(command({ gpu_count: 4 })).rejects.toMatchObject(never)
    const call = { actor: ada.actor, origin: 'http://localhost:8001', signal: new AbortController().signal }
    const asked = { name: 'too large', command: 'true', gpu_count: 8, instance_count: 1 }
    await expect(createJob(call, createJobSchema.parse(asked))).rejects.toMatchObject(never)
    await expect(submit('gpu_count: 4', { idempotencyKey: 'one' })).rejects.toMatchObject(never)
    const other = submission('gpu_count: 4', { code: Buffer.from('print(2)') })
    await expect(accept(ada.actor, other, { deduplicate: true })).rejects.toMatchObject(never)
    await db.pool.query(`INSERT INTO model_requirements (name, milli) VALUES ('huge', 8000)`)
    await expect(submit('args: --llm huge')).rejects.toMatchObject(never)
    const admin = await makePerson('admin')
    const all = ['gpu_count: 1', 'gpu_count: 4', 'gpu_count: 2', 'gpu_count: 3']
    await accept(admin.actor, submission(''))
    const outcomes = await Promise.allSettled(all.map((keys) => accept(admin.actor, submission(keys))))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  })

  it('creates no project and leaves no trace', async () => {
    await makeNode({ gpus: 2 })
    await expect(submit('gpu_count: 8\nproject_id: unseen'.replace('project_id', 'name'))).rejects.toThrow()
    const config = { ...submission('gpu_count: 8').config, project_id: 'unseen' }
    await expect(accept(ada.actor, { ...submission(''), config })).rejects.toThrow('This job cannot start')
    expect((await db.pool.query("SELECT 1 FROM projects WHERE slug = 'unseen'")).rowCount).toBe(0)
  })
})

describe('a job is accepted', () => {
  it.each([
    ['offline', "UPDATE nodes SET status = 'lost', lease_expires_at = now()"],
    ['drained', "UPDATE nodes SET status = 'drained'"],
    ['draining', "UPDATE nodes SET status = 'draining'"],
    ['paused', 'UPDATE nodes SET paused_at = now()'],
    ['quarantined', "UPDATE nodes SET quarantined_at = now(), quarantine_reason = 'x'"],
    ['with paused GPUs', 'UPDATE gpus SET paused_at = now()'],
    ['with GPUs that it does not find now', 'UPDATE gpus SET missing = true, simulated = false'],
    ['with GPUs in use', 'UPDATE gpus SET allocated_milli = 1000'],
  ])('a job is accepted if it fits on a node that is %s', async (_, change) => {
    await makeNode({ gpus: 4 })
    await db.pool.query(change)
    await submit('gpu_count: 4')
    await expect(submit('gpu_count: 5')).rejects.toMatchObject({ code: 'never_fits' })
  })

  it('a job is accepted as long as no node is registered, and waits as no_node', async () => {
    const { jobId } = await submit('gpu_count: 8\ninstance_count: 8')
    const { snapshot } = await takeSnapshot()
    expect(plan(snapshot).waiting).toContainEqual(expect.objectContaining({ jobId, reason: 'no_node' }))
  })

  it('a job is accepted if the only node has been forgotten', async () => {
    await makeNode({ gpus: 1 })
    await db.pool.query("UPDATE nodes SET status = 'drained', forgotten_at = now()")
    await submit('gpu_count: 8')
  })

  it('a job is accepted where nodes are started on demand', async () => {
    await makeNode({ gpus: 1 })
    loadEnv({ GPUQ_PROVISION_UP: 'up', GPUQ_PROVISION_DOWN: 'down' })
    await submit('gpu_count: 8')
  })

  it('a job is accepted again with the same key after its node was removed', async () => {
    const { leaseId } = await makeNode({ gpus: 4 })
    await makeNode({ gpus: 1 })
    const first = await submit('gpu_count: 4', { idempotencyKey: 'again' })
    await db.pool.query("UPDATE nodes SET status = 'drained', forgotten_at = now() WHERE lease_id = $1", [
      leaseId,
    ])
    expect(await submit('gpu_count: 4', { idempotencyKey: 'again' })).toMatchObject({
      jobId: first.jobId,
      repeated: true,
    })
  })
})
