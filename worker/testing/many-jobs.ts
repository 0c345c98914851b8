import { expect } from 'vitest'
import type { JobOptions } from '@/lib/cluster/testing/rows'
import { type CheckedLab, expectAllTrue } from './truth'
import { Watch } from './watch'

const spec = { gpu_count: 1, cpu: 0.1, memory_gb: 0.1 }

interface Span {
  gpu: string
  given: number
  back: number
}

interface ManyJobsLab<Engine> extends CheckedLab<Engine> {
  startWorker(options: { node: string; gpus: number }): unknown
  untilReady(nodes: number): Promise<void>
}

const nodes = ['a', 'b', 'c', 'd']
const gpus = 8

/**
 * Four workers run so many short jobs once each, in their order.
 * @param submit submits a job that prints "done".
 */
export async function expectManyJobs<Engine>(
  lab: ManyJobsLab<Engine>,
  count: number,
  submit: (options: JobOptions) => Promise<string>,
): Promise<void> {
  const { pool } = lab.database
  for (const node of nodes) await lab.startWorker({ node, gpus: gpus / nodes.length })
  await lab.untilReady(4)
  // All of them wait before the first is placed.
  const jobs: string[] = []
  const options = { spec, maxRetries: 0, held: true }
  while (jobs.length < count) jobs.push(await submit(options))
  const watch = new Watch(lab)
  await pool.query('UPDATE jobs SET priority = (ascii(right(id::text, 1)) % 3)')
  await lab.jobs.letAllGo()

  for (const job of jobs) {
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(['done'])
  }
  const inTurn = await pool.query<{ id: string }>(
    'SELECT id FROM jobs ORDER BY priority DESC, created_at, id',
  )
  const placed = await pool.query<{ id: string }>('SELECT job_id AS id FROM tasks ORDER BY created_at, id')
  const turns = new Map(inTurn.rows.map(({ id }, turn) => [id, turn]))
  const distances = placed.rows.map(({ id }, place) => Math.abs((turns.get(id) ?? count) - place))
  expect(distances).toHaveLength(count)
  // Jobs that end at the same moment may take the next ones in another order than their transactions began.
  expect(distances.filter((distance) => distance >= gpus)).toEqual([])
  expect(await watch.stop()).toMatchObject({ jobsTwice: [], gpusTwice: [], falseBooks: [] })
  await expectAllTrue(lab)
}

/** The GPUs of that many jobs were hardly idle between them. */
export async function expectHardlyIdle(
  lab: Pick<CheckedLab<unknown>, 'database'>,
  count: number,
): Promise<void> {
  const idle = await idleTimes(lab)
  expect(idle).toHaveLength(count - 8)
  // Most change hands in the transaction that frees them; how long the others wait depends on what else the machine does.
  expect(idle.filter((ms) => ms === 0).length).toBeGreaterThan(idle.length / 2)
}

/** How long each GPU was idle between two jobs, in ms, shortest first. A job that fitted waited all that time. */
async function idleTimes(lab: Pick<CheckedLab<unknown>, 'database'>): Promise<number[]> {
  const { rows } = await lab.database.pool.query<Span>(
    `SELECT gpu_id AS gpu, extract(epoch FROM created_at)::float8 * 1000 AS given,
            extract(epoch FROM released_at)::float8 * 1000 AS back FROM allocations ORDER BY created_at`,
  )
  const before = new Map<string, number>()
  const idle = rows.flatMap(({ gpu, given, back }) => {
    const since = before.get(gpu)
    before.set(gpu, back)
    return since === undefined ? [] : [Math.round(given - since)]
  })
  return idle.sort((a, b) => a - b)
}
