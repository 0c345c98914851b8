import { beforeEach, expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { copyRows, makeJob, makeUser } from '../testing/rows'
import { forecastDepth } from './builtin-forecaster'
import { expectationOf, forecastQueue, readOtherPositions } from './forecast'
import { takeSnapshot } from './snapshot'

const db = testDatabase()

beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, users CASCADE')
  await db.pool.query("UPDATE policies SET scheduling = 'priority'")
})

async function looksAt(id: string): Promise<boolean> {
  const { snapshot } = await takeSnapshot()
  return snapshot.waiting.some((job) => job.id === id)
}

it.each([
  // Three steps of priority count like three hours, so a job that waited four hours goes first.
  ['priority', { priority: '3' }],
  ['fair_share', { priority: '3' }],
  ['fcfs', { priority: '100' }],
  // Ten doublings of the expected time count like ten hours.
  ['sjf', { expected_time_s: '1', created_at: new Date(Date.now() + 12 * 3_600_000) }],
])('a pass under %s examines the oldest job, however many urgent jobs the user has', async (name, set) => {
  await db.pool.query(`UPDATE policies SET scheduling = $1::"SchedulingPolicy"`, [name])
  const old = await makeJob()
  await db.pool.query("UPDATE jobs SET expected_time_s = 1000, created_at = now() - interval '4 hours'")
  await copyRows('jobs', old, { created_at: 'now', ...set }, { count: 300 })
  expect(await looksAt(old)).toBe(true)
})

it('examines a job although hundreds of its user’s jobs wait for something that never happens', async () => {
  const userId = await makeUser()
  const never = await makeJob({ userId, priority: 9 })
  await db.pool.query("UPDATE jobs SET reason = 'never_fits'")
  await copyRows('jobs', never, {}, { count: 300 })
  expect(await looksAt(await makeJob({ userId }))).toBe(true)
})

it('examines some jobs of every user, however many others wait', async () => {
  for (let user = 0; user < 25; user++) {
    const id = await makeJob({ priority: 50 })
    await copyRows('jobs', id, {}, { count: 250 })
  }
  const modest = await makeJob()
  expect(await looksAt(modest)).toBe(true)
  const { waiting } = (await takeSnapshot()).snapshot
  expect(waiting.length).toBeGreaterThanOrEqual(5_000)
  // Plus the jobs that were submitted after the selection.
  expect(waiting.length).toBeLessThanOrEqual(6_000)
})

it.each([
  [1, 1_000],
  [200, 1_000],
  [800, 250],
  [10_000, 100],
])('a pass with %i GPUs simulates %i starts', (gpus, starts) => {
  const node = {
    id: 'n',
    blocked: null,
    pool: 'on-demand',
    cpuMilli: 1,
    memoryMib: 1,
    usedCpuMilli: 0,
    usedMemoryMib: 0,
  } as const
  const gpu = { id: 'g', index: 0, model: 'm', memoryMib: 1, allocatedMilli: 0, blocked: null }
  const nodes = [{ ...node, gpus: Array.from({ length: gpus }, () => gpu) }]
  expect(forecastDepth({ nodes })).toBe(starts)
})

it('gives every waiting job a position, also outside the pending window', async () => {
  const first = await makeJob({ priority: 1 })
  await copyRows('jobs', first, { priority: 0 }, { count: 299 })
  const [{ jobs }, rest] = [await forecastQueue(), await readOtherPositions()]
  expect(rest.size).toBeGreaterThan(0)
  const positions = [...jobs.values(), ...rest.values()].map(({ position }) => position)
  expect(positions).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
  expect((await expectationOf(first))?.position).toBe(1)
  expect((await expectationOf([...rest.keys()].at(-1) ?? ''))?.position).toBe(300)
})
