import { beforeEach, describe, expect, it } from 'vitest'
import { placeManually } from '../../cluster/testing/placed'
import { copyRows, makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { readJobDetail } from './read'

const db = testDatabase()
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes, users CASCADE')
})

const resourcesOf = async (job: string) => (await readJobDetail(job)).resources

const nothingMeasured = {
  gpu_load_mean: null,
  gpu_memory_peak_mib: null,
  cpu_cores_mean: null,
  memory_peak_mib: null,
}

describe('a job', () => {
  it('has the names of its user and its node', async () => {
    const { nodeId } = await makeNode({ name: 'vm', gpus: 1 })
    const job = await makeJob()
    await db.pool.query(`UPDATE users SET name = 'Ada Lovelace'`)
    expect(await readJobDetail(job)).toMatchObject({ user_name: 'Ada Lovelace', node_name: null })
    await placeManually(nodeId, job)
    expect(await readJobDetail(job)).toMatchObject({ node_name: 'vm', node_id: expect.any(Number) })
  })

  it('has no node and no GPUs while it waits for its next attempt', async () => {
    const { nodeId } = await makeNode({ gpus: 1 })
    const job = await makeJob()
    await placeManually(nodeId, job)
    expect(await readJobDetail(job)).toMatchObject({
      gpus: [{ index: 0 }],
      resources: { got: [{ rank: 0 }] },
    })
    await db.pool.query(`UPDATE jobs SET status = 'pending'`)
    expect(await readJobDetail(job)).toMatchObject({ node_name: null, gpus: [], resources: { got: [] } })
  })
})

describe("a job's resources", () => {
  it('contain only the request while it waits', async () => {
    const job = await makeJob({ spec: { gpu_fraction: 0.5, gpu_memory_gb: 16, cpu: 2, memory_gb: 4 } })
    expect(await resourcesOf(job)).toEqual({
      asked: {
        gpu_count: 1,
        gpu_fraction: 0.5,
        gpu_memory_gb: 16,
        gpu_model: null,
        instance_count: 1,
        cpu: 2,
        memory_gb: 4,
      },
      got: [],
      used: nothingMeasured,
    })
  })

  it('contain what it got, with its share of each GPU', async () => {
    const { nodeId } = await makeNode({ name: 'one', gpus: 2 })
    const job = await makeJob({ spec: { gpu_fraction: 0.25 } })
    await placeManually(nodeId, job, { indices: [1], milli: 250, cpuMilli: 1500, memoryMib: 2048 })
    const { rows } = await db.pool.query('SELECT gpu_id FROM allocations')
    expect(await resourcesOf(job)).toMatchObject({
      got: [
        {
          rank: 0,
          node: 'one',
          cpu_milli: 1500,
          memory_mib: 2048,
          gpus: [{ gpu_id: rows[0].gpu_id, index: 1, simulated: true, memory_mib: 24_576, share: 0.25 }],
        },
      ],
      used: nothingMeasured,
    })
  })

  it('contain the mean load of all samples and the highest memory of all instances, and how each one ended', async () => {
    const { nodeId } = await makeNode({ gpus: 1 })
    const job = await makeJob()
    const task = await placeManually(nodeId, job)
    await db.pool.query('UPDATE tasks SET gpu_samples = 30, gpu_load_mean = 0.5, gpu_memory_peak_mib = 4000')
    const [other, unused] = [
      { gpu_samples: 10, gpu_load_mean: 0.9, gpu_memory_peak_mib: 6000 },
      { gpu_samples: 0, gpu_load_mean: null, gpu_memory_peak_mib: null },
    ]
    await copyRows('tasks', task, {
      rank: 1,
      ...other,
      reason: 'exit_code',
      exit_code: 3,
      ended_at: '2026-11-23T11:00:00+01',
    })
    await copyRows('tasks', task, { rank: 2, ...unused })
    const { got, used } = await resourcesOf(job)
    expect(got.map(({ rank, gpus }) => [rank, gpus.length])).toEqual([
      [0, 1],
      [1, 0],
      [2, 0],
    ])
    expect(got[0]).toMatchObject({ reason: null, exit_code: null, ended_at: null })
    expect(got[1]).toMatchObject({ reason: 'exit_code', exit_code: 3, ended_at: '2026-11-23T10:00:00.000Z' })
    expect(used.gpu_load_mean).toBeCloseTo(0.6)
    expect(used.gpu_memory_peak_mib).toBe(6000)
  })

  it('contain the sum of the cores of all instances, and the highest memory', async () => {
    const { nodeId } = await makeNode({ gpus: 1 })
    const job = await makeJob()
    const task = await placeManually(nodeId, job)
    await db.pool.query('UPDATE tasks SET cpu_seconds = 30, sampled_seconds = 20, memory_peak_mib = 700')
    await copyRows('tasks', task, { rank: 1, cpu_seconds: 10, memory_peak_mib: 900 })
    await copyRows('tasks', task, {
      rank: 2,
      cpu_seconds: null,
      sampled_seconds: null,
      memory_peak_mib: null,
    })
    expect((await resourcesOf(job)).used).toEqual({
      ...nothingMeasured,
      cpu_cores_mean: 2,
      memory_peak_mib: 900,
    })
  })

  it('belong to the last attempt', async () => {
    const { nodeId } = await makeNode({ gpus: 1 })
    const job = await makeJob()
    await placeManually(nodeId, job)
    await db.pool.query("UPDATE tasks SET status = 'lost', gpu_samples = 3, gpu_load_mean = 1")
    await db.pool.query("UPDATE jobs SET status = 'pending', attempt = attempt + 1")
    expect(await resourcesOf(job)).toMatchObject({ got: [], used: { gpu_load_mean: null } })
  })
})
