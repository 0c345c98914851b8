import { uuidv7 } from 'uuidv7'
import { beforeEach, expect, it } from 'vitest'
import { commitPlacement } from '../cluster/placement/place'
import { takeSnapshot } from '../cluster/placement/snapshot'
import { jobState, makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { plan } from '../scheduling/plan'
import {
  appendProvisionOutput,
  endProvision,
  failProvision,
  readProvisions,
  recordProvisions,
  setProvisionStatus,
} from './provisions'

const db = testDatabase()
const term = uuidv7()
const fresh = { spec: { fresh_nodes: true, gpu_count: 1, gpu_model: 'H100' } }

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users, provisions CASCADE')
})

const rows = async () =>
  (await db.pool.query('SELECT status::text, round, problem, output FROM provisions ORDER BY created_at'))
    .rows

async function placeAll(): Promise<string[]> {
  const { snapshot } = await takeSnapshot()
  const { placements } = plan(snapshot)
  for (const placement of placements) expect(await commitPlacement(placement)).toEqual({ ok: true })
  return placements.map(({ jobId }) => jobId)
}

it('are recorded once for each waiting job that requests them, with its requirements', async () => {
  await makeJob()
  const job = await makeJob(fresh)
  await recordProvisions(term, 60)
  await recordProvisions(uuidv7(), 60)
  expect(await readProvisions()).toEqual([
    {
      jobId: job,
      status: 'starting',
      request: expect.objectContaining({
        GPUQ_PROVISION_JOB: job,
        GPUQ_PROVISION_NODES: '1',
        GPUQ_PROVISION_GPUS_PER_NODE: '1',
        GPUQ_PROVISION_GPU_MODEL: 'H100',
        GPUQ_PROVISION_PROJECT: 'project',
      }),
      term,
      round: 1,
      overdue: false,
      jobStatus: 'pending',
      attempt: 0,
      nodes: 0,
      wanted: 1,
    },
  ])
})

it('are not recorded for a job that waits for an approval, until it has it', async () => {
  const job = await makeJob(fresh)
  const hold = (held: boolean, reason: string | null) =>
    db.pool.query('UPDATE jobs SET held = $2, reason = $3 WHERE id = $1', [job, held, reason])
  await hold(true, 'approval_needed')
  await recordProvisions(term, 60)
  expect(await readProvisions()).toEqual([])
  await hold(false, null)
  await recordProvisions(term, 60)
  expect(await readProvisions()).toMatchObject([{ jobId: job }])
})

it('pass the pool and the options of the job on, one per line', async () => {
  const provision_args = ['--network=research', '--labels=team=a', '--internal-ips']
  await makeJob({ spec: { fresh_nodes: true, instance_count: 2, pool: 'reserved', provision_args } })
  await recordProvisions(term, 60)
  expect(await readProvisions()).toMatchObject([
    {
      request: {
        GPUQ_PROVISION_NODES: '2',
        GPUQ_PROVISION_POOL: 'reserved',
        GPUQ_PROVISION_ARGS: '--network=research\n--labels=team=a\n--internal-ips',
      },
    },
  ])
})

it('run only their own job, and their job runs on no other nodes', async () => {
  const job = await makeJob({ spec: { fresh_nodes: true } })
  await makeNode({ name: 'shared' })
  expect(await placeAll()).toEqual([])
  const other = await makeJob()
  await makeNode({ name: 'own', dedicatedTo: job })
  await db.pool.query(`UPDATE nodes SET paused_at = now() WHERE name = 'shared'`)
  expect(await placeAll()).toEqual([job])
  await db.pool.query('UPDATE nodes SET paused_at = NULL')
  expect(await placeAll()).toEqual([other])
})

it('appear in the wait reason while they are provisioned', async () => {
  const job = await makeJob({ spec: { fresh_nodes: true } })
  await makeNode()
  const { snapshot } = await takeSnapshot()
  expect(plan(snapshot).waiting).toEqual([{ jobId: job, reason: 'provisioning', detail: null }])
})

it('fail their job if they do not appear, and are then removed', async () => {
  const job = await makeJob(fresh)
  await recordProvisions(term, 60)
  await failProvision(job, 'They were not there after 60 s.')
  expect(await jobState(job)).toMatchObject({ status: 'failed', reason: 'not_provisioned' })
  expect(await rows()).toMatchObject([{ status: 'ending', problem: 'They were not there after 60 s.' }])
  await endProvision(job)
  expect(await rows()).toMatchObject([{ status: 'ended' }])
})

it('stay if a job runs on them, however their command ended', async () => {
  const job = await makeJob({ spec: { fresh_nodes: true } })
  await recordProvisions(term, 60)
  await makeNode({ dedicatedTo: job })
  expect(await placeAll()).toEqual([job])
  await failProvision(job, 'It ended with exit code 1.')
  expect(await jobState(job)).toMatchObject({ status: 'scheduled' })
  expect(await rows()).toMatchObject([{ status: 'up' }])
})

it('are recorded again if a command was interrupted and their job still waits', async () => {
  const job = await makeJob(fresh)
  await recordProvisions(term, 60)
  expect(await setProvisionStatus(job, ['up'], 'ending')).toBe(false)
  expect(await setProvisionStatus(job, ['starting'], 'ending')).toBe(true)
  await endProvision(job)
  expect(await rows()).toEqual([])
  await recordProvisions(term, 60)
  expect(await rows()).toMatchObject([{ status: 'starting', round: 1 }])
})

it('outlive the row of their job', async () => {
  const job = await makeJob(fresh)
  await recordProvisions(term, 60)
  await db.pool.query('DELETE FROM jobs')
  expect(await readProvisions()).toMatchObject([{ jobId: job, jobStatus: null }])
})

it('show the last output of their commands', async () => {
  const job = await makeJob(fresh)
  await recordProvisions(term, 60)
  await appendProvisionOutput(job, 'x'.repeat(40_000))
  await appendProvisionOutput(job, 'last words\n')
  const [row] = await rows()
  expect(row.output).toHaveLength(32_768)
  expect(row.output).toMatch(/xlast words\n$/)
})
