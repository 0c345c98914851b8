import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { dryRunSchema } from '../../contract/submission/dry-run'
import { testDatabase } from '../../database/testing/test-database'
import { loadEnv } from '../../env'
import { clusterRoutes } from '../cluster/cluster'
import { queueRoutes } from '../queue/queue'
import { upload } from '../testing/upload'
import { submissionRoutes } from './submission'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let ada = {} as Person
beforeAll(async () => {
  await makeJob()
})
beforeEach(async () => {
  await db.pool.query('TRUNCATE nodes, jobs, active_job_changes CASCADE')
  await db.pool.query("UPDATE policies SET max_queue_size = 100; UPDATE role_limits SET job_limits = '{}'")
  await makeNode({ gpus: 2 })
  ada = await makePerson()
})

const dryRun = (config = '', parts: { code?: string | null } = {}) =>
  upload(ada, { config, ...parts }, 'dry_run=true')
const told = async (config = '', parts: { code?: string | null } = {}) =>
  dryRunSchema.parse((await dryRun(config, parts)).body)

/** Everything that a submission changes. */
async function stored(): Promise<unknown> {
  const { rows } = await db.pool.query(
    `SELECT (SELECT count(*) FROM jobs) AS jobs, (SELECT count(*) FROM projects) AS projects, (SELECT count(*) FROM runs) AS runs,
            (SELECT count(*) FROM idempotency_keys) AS keys, (SELECT coalesce(sum(jobs), 0) FROM active_job_changes) AS active,
            (SELECT count(*) FROM archives) AS archives`,
  )
  return rows[0]
}

describe('a dry run', () => {
  it('says what the job would get and when it would start, and stores nothing', async () => {
    const before = await stored()
    const note =
      'Creates the private project "p", because you have no project of this name and have joined no class or team of this name.'
    expect(await told('gpu_count: 2\ncpu: 2\nmax_time: 900\nrun_name: base')).toEqual({
      dry_run: true,
      text: `gpuq would accept the job. Nothing was queued. It would start now. ${note}`,
      project_id: 'p',
      project_note: note,
      environment: 'python',
      resources: {
        gpu_count: 2,
        gpu_fraction: null,
        gpu_memory_gb: null,
        gpu_model: null,
        instance_count: 1,
        cpu: 2,
        memory_gb: null,
        pool: 'on-demand',
      },
      max_time: 900,
      waits_for: [],
      queue_position: 1,
      expected_start: expect.any(String),
      expected_start_text: null,
      left: { submissions_this_minute: 4, active_jobs: 0, waiting_jobs: null, dependent_jobs: 100 },
      hardware: [
        { model: 'Simulated GPU', memory_mib: 24_576, gpus: 2, free: 2, largest_node: 2, simulated: true },
      ],
    })
    expect(await stored()).toEqual(before)
  })

  it('a job of a budget with nothing left starts when its next period begins, and without one at no time', async () => {
    const exhaust = (until: string | null) =>
      db.pool.query(
        `INSERT INTO used_up_budgets (owner_id, period, stops, detail, until) VALUES ($1, 'day', false, 'All used.', $2)
         ON CONFLICT (owner_id, period) DO UPDATE SET until = excluded.until`,
        [ada.id, until],
      )
    const until = new Date(Date.now() + 3_600_000).toISOString()
    await exhaust(until)
    expect(await told()).toMatchObject({ expected_start: until })
    await exhaust(null)
    expect(await told()).toMatchObject({
      expected_start: null,
      text: expect.stringContaining('no start can be predicted now'),
    })
  })

  it('finds the place behind the jobs that wait', async () => {
    await db.pool.query('UPDATE gpus SET allocated_milli = 0, paused_at = now() WHERE index = 0')
    for (let i = 0; i < 3; i++) await makeJob({ spec: { gpu_count: 1, pool: 'on-demand' } })
    const { queue_position, expected_start, text } = await told('gpu_count: 1')
    expect(queue_position).toBe(4)
    expect(Date.parse(expected_start ?? '')).toBeGreaterThan(Date.now() + 100_000)
    expect(text).toMatch(/It would be number 4 in the queue, and start at about /)
  })

  it('is refused as the submission would be, and with the same answer', async () => {
    const first = await upload(ada, { config: 'name: first' })
    const refusals = [
      '',
      'gpu_count: 8',
      'environment: none',
      'depends_on: 0190b5a0-0000-7000-8000-000000000000',
    ]
    for (const config of refusals) {
      const [dry, real] = [await dryRun(config), await upload(ada, { config })]
      expect(dry.status).toBeGreaterThanOrEqual(400)
      expect(dry).toMatchObject({ status: real.status, body: real.body })
    }
    expect((await dryRun()).body).toMatchObject({ jobs: [{ job_id: first.body.job_id, name: 'first' }] })
    const { body } = await dryRun('gpu_count: 8')
    expect(body).toMatchObject({ code: 'rate_limited' })
    await db.pool.query('UPDATE users SET max_active_jobs = 100, submissions_per_minute = 100')
    expect((await dryRun('gpu_count: 8')).body).toMatchObject({
      code: 'never_fits',
      nearest: { gpu_count: 2 },
    })
  })

  it('a dry run with the run name of an active job is a conflict that names the job', async () => {
    await db.pool.query('UPDATE users SET max_active_jobs = 100, submissions_per_minute = 100')
    const first = await upload(ada, { config: 'run_name: base' })
    const { status, body } = await dryRun('run_name: base')
    expect([status, body]).toMatchObject([409, { jobs: [{ job_id: first.body.job_id }] }])
  })

  it('a dry run of a job that waits for another says so', async () => {
    const first = await upload(ada)
    expect(await told(`depends_on: ${first.body.job_id}`)).toMatchObject({
      text: expect.stringContaining(`It would wait for others. Not completed: ${first.body.job_id}.`),
      waits_for: [first.body.job_id],
      queue_position: null,
      expected_start: null,
      left: { active_jobs: 0, dependent_jobs: 99 },
    })
  })

  it('needs no program, and runs no other checks than those of the config then', async () => {
    expect(await told('', { code: null })).toMatchObject({ queue_position: 1 })
    expect(await told('entrypoint: src/train.py', { code: null })).toMatchObject({ queue_position: 1 })
    expect((await dryRun('command: "true"')).body).toMatchObject({ errors: [{ path: 'command' }] })
  })

  it('says that it would create a project only as long as it would', async () => {
    expect(await told()).toMatchObject({ project_note: expect.stringContaining('"p"') })
    const { body } = await upload(ada)
    await db.pool.query(
      "UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now() WHERE id = $1",
      [body.job_id],
    )
    expect(await told()).toMatchObject({ project_note: null })
  })

  it('takes only true and false', async () => {
    expect((await upload(ada, {}, 'dry_run=perhaps')).status).toBe(400)
    expect((await upload(ada, {}, 'wait=false&dry_run=false')).status).toBe(202)
  })
})

describe('the check before an upload', () => {
  async function check(config: string) {
    const form = new FormData()
    const text = `competition_id: c\nproject_id: p\nexpected_time: 10\n${config}`
    form.append('config_file', new Blob([text]), 'config.yaml')
    const headers = { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' }
    const request = new Request('http://localhost:8001/api/submit/check', {
      method: 'POST',
      headers,
      body: form,
    })
    const response = await submissionRoutes.check(request, { params: Promise.resolve({}) })
    return { status: response.status, body: response.status === 204 ? null : await response.json() }
  }

  it('says nothing against a job that would be accepted with its directory, and stores nothing', async () => {
    const before = await stored()
    for (const config of ['command: python train.py', 'entrypoint: src/train.py', ''])
      expect(await check(`${config}\nworking_directory: /home/ada/project`)).toEqual({
        status: 204,
        body: null,
      })
    expect(await stored()).toEqual(before)
  })

  it('refuses what depends on the settings of the admin as the submission does, and names them', async () => {
    await db.pool.query('UPDATE users SET max_active_jobs = NULL, submissions_per_minute = NULL')
    const refusals: [config: string, named: RegExp][] = [
      ['gpu_count: 8', /cannot start.*gpu_count: 2/],
      ['fresh_nodes: true', /an admin must set GPUQ_PROVISION_UP and GPUQ_PROVISION_DOWN/],
      ['fresh_nodes: true\nprovision_args: ["--network"]', /GPUQ_PROVISION_UP/],
      ['environment: cuda', /no environment "cuda": use one of "python"/],
      ['bucket: research', /ask an admin/],
      ['mounts: {/data: cifar}', /cifar/],
      ['pool: reserved', /your limit pools. An admin can change this limit/],
      ['priority: 50', /your limit max_priority/],
      ['gpu_count: 1', /max_queue_size.*0/],
    ]
    for (const [config, named] of refusals) {
      if (config === 'gpu_count: 1') await db.pool.query('UPDATE policies SET max_queue_size = 0')
      if (config === 'pool: reserved')
        await db.pool.query(`UPDATE users SET job_limits = '{"max_priority": 10, "pools": ["on-demand"]}'`)
      const [checked, real] = [await check(config), await upload(ada, { config })]
      expect(checked, config).toEqual({ status: real.status, body: real.body })
      expect(checked.body.detail).toMatch(named)
    }
    await db.pool.query('UPDATE policies SET max_queue_size = 100')
    loadEnv({ GPUQ_WORKSPACES: '/workspace' })
    const { body } = await check('')
    loadEnv({})
    expect(body).toMatchObject({
      detail: expect.stringMatching(
        /shared directory \/workspace.*An admin can set the uid on the Users page/,
      ),
    })
  })
})

describe('a dry run of the queue', () => {
  const tryCommand = (body: object) =>
    call(queueRoutes.submit, '/api/queue/submit?dry_run=true', { method: 'POST', cookie: ada.cookie, body })

  it('says what the submission would do, with the time that the limits permit, and stores nothing', async () => {
    const before = await stored()
    const answer = await tryCommand({ command: 'python train.py', gpu_count: 2, project_id: 'p' })
    expect(answer.status).toBe(200)
    expect(dryRunSchema.parse(answer.body)).toMatchObject({
      queue_position: 1,
      project_note: expect.stringContaining('private project "p"'),
      resources: { gpu_count: 2 },
      max_time: 86_400,
    })
    expect(await stored()).toEqual(before)
  })

  it('is refused as the submission would be', async () => {
    for (const body of [
      { command: 'true', gpu_count: 8 },
      { command: 'true', user: 'somebody' },
      { command: 'true', environment: 'none' },
    ]) {
      const real = await call(queueRoutes.submit, '/api/queue/submit', {
        method: 'POST',
        cookie: ada.cookie,
        body,
      })
      expect(real.status).toBeGreaterThanOrEqual(400)
      expect(await tryCommand(body)).toMatchObject({ status: real.status, body: real.body })
    }
  })
})

it('the hardware is that of all registered nodes, and says what is free now', async () => {
  await makeNode({ gpus: 4 })
  await db.pool.query(
    "UPDATE gpus SET model = 'H100', memory_mib = 81920 WHERE node_id = (SELECT id FROM nodes ORDER BY number DESC LIMIT 1)",
  )
  await db.pool.query("UPDATE gpus SET allocated_milli = 500 WHERE model = 'H100' AND index = 0")
  await db.pool.query(
    "UPDATE nodes SET status = 'lost' WHERE id IN (SELECT node_id FROM gpus WHERE model <> 'H100')",
  )
  expect((await call(clusterRoutes.hardware, '/api/hardware', ada)).body).toEqual([
    { model: 'H100', memory_mib: 81_920, gpus: 4, free: 3, largest_node: 4, simulated: true },
    { model: 'Simulated GPU', memory_mib: 24_576, gpus: 2, free: 0, largest_node: 2, simulated: true },
  ])
})
