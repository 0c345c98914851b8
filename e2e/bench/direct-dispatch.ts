import pg from 'pg'
import type { System } from '../system/start-system'
import { bearer, call, upload } from './client'
import { type Figures, figuresOf } from './measure'

const jobs = 200

/**
 * Measures how long a GPU stays without a job while suitable jobs wait. `free`: the GPU has no allocation.
 * `between`: the time from the recorded end of one job to the recorded task of the next.
 */
export async function benchDirectDispatch(
  system: System,
): Promise<{ jobs: number; free: Figures; between: Figures }> {
  const pool = new pg.Pool({ connectionString: system.databaseUrl, max: 1 })
  const count = async (what: string) =>
    Number((await pool.query(`SELECT count(*) AS n FROM ${what}`)).rows[0].n)
  try {
    await until(async () => (await count(`nodes WHERE status = 'ready'`)) === 4)
    // Submit all jobs before the first one starts.
    await post(system, '/api/orchestrator/stop')
    for (let job = 0; job < jobs; job++) await expectStatus(202, call(...upload(system, 'print("done")\n')))
    await post(system, '/api/orchestrator/start')
    await until(async () => (await count(`jobs WHERE status IN ('pending', 'scheduled', 'running')`)) === 0)
    const completed = await count(`jobs WHERE status = 'completed'`)
    if (completed !== jobs) throw new Error(`${completed} of ${jobs} jobs completed`)
    const { rows } = await pool.query<{ free: number | null; between: number | null }>(idleTimesSql)
    return {
      jobs,
      free: figuresOf(rows.flatMap(({ free }) => free ?? [])),
      between: figuresOf(rows.flatMap(({ between }) => between ?? [])),
    }
  } finally {
    await pool.end()
  }
}

/** In milliseconds. Null for the first job of each GPU. */
const idleTimesSql = `
  SELECT extract(epoch FROM a.created_at - lag(a.released_at) OVER turns)::float8 * 1000 AS free,
         extract(epoch FROM t.created_at - lag(t.ended_at) OVER turns)::float8 * 1000 AS between
    FROM allocations a JOIN tasks t ON t.id = a.task_id
  WINDOW turns AS (PARTITION BY a.gpu_id ORDER BY t.created_at)`

const post = (system: System, path: string) =>
  expectStatus(200, call(`${system.url}${path}`, { method: 'POST', headers: bearer(system) }))

async function expectStatus(wanted: number, answer: ReturnType<typeof call>): Promise<void> {
  const { status, body } = await answer
  if (status !== wanted) throw new Error(`answered ${status}: ${body}`)
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 300_000
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('the condition was not met within five minutes')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
