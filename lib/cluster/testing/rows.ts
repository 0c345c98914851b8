import { uuidv7 } from 'uuidv7'
import { database } from '../../database/client'
import { type Lease, offerNode, registerNode } from '../nodes/nodes'

/** Builders of rows for queue tests. */

export async function makeUser(handle = `user-${uuidv7().slice(-12)}`): Promise<string> {
  const id = uuidv7()
  await database().pool.query('INSERT INTO users (id, handle) VALUES ($1, $2)', [id, handle])
  return id
}

export async function makeNode(
  options: { name?: string; gpus?: number; engineId?: string; dedicatedTo?: string } = {},
): Promise<Lease> {
  const name = options.name ?? `node-${uuidv7().slice(-12)}`
  const lease = await registerNode({
    name,
    engineId: options.engineId ?? `engine-of-${name}`,
    engineVersion: '20.10',
    warnings: [],
    cpuMilli: 8000,
    memoryMib: 16_000,
    dedicatedTo: options.dedicatedTo ?? null,
    gpus: Array.from({ length: options.gpus ?? 1 }, (_, index) => ({
      index,
      uuid: `GPU-sim-${name}-${index}`,
      model: 'Simulated GPU',
      memoryMib: 24_576,
      simulated: true,
    })),
  })
  await offerNode(lease)
  // Nobody renews the lease in these tests, and a busy machine may need longer than its duration.
  await database().pool.query(
    `UPDATE nodes SET lease_expires_at = now() + interval '1 hour' WHERE lease_id = $1`,
    [lease.leaseId],
  )
  return lease
}

export interface JobOptions {
  userId?: string
  maxRetries?: number
  spec?: Record<string, unknown>
  priority?: number
}

export async function makeJob(options: JobOptions = {}): Promise<string> {
  const { pool } = database()
  const userId = options.userId ?? (await makeUser())
  await pool.query(
    `INSERT INTO environments (id, name, image, is_default) VALUES ($1, 'python', 'gpuq/python:1', true) ON CONFLICT (name) DO NOTHING`,
    [uuidv7()],
  )
  await pool.query(
    `INSERT INTO projects (id, slug, owner_id) VALUES ($1, 'project', $2) ON CONFLICT (owner_id, slug) DO NOTHING`,
    [uuidv7(), userId],
  )
  const id = uuidv7()
  await pool.query(
    `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, code, priority, max_retries, expected_time_s, time_limit_s)
     SELECT $1, $2, p.id, e.id, 'competition', $3, 'print(1)', $4, $5, 60, 120
       FROM projects p, environments e WHERE p.owner_id = $2 AND p.slug = 'project' AND e.name = 'python'`,
    [id, userId, options.spec ?? {}, options.priority ?? 0, options.maxRetries ?? 2],
  )
  return id
}

export interface JobState {
  status: string
  reason: string | null
  attempt: number
  exit_code: number | null
  cancelled_while_waiting: boolean
}

export async function jobState(id: string): Promise<JobState> {
  const { rows } = await database().pool.query<JobState>(
    'SELECT status, reason, attempt, exit_code, cancelled_while_waiting FROM jobs WHERE id = $1',
    [id],
  )
  if (!rows[0]) throw new Error('The job does not exist.')
  return rows[0]
}

/** Sums of allocated thousandths, from the rows of GPUs and from the unreleased allocations. */
export async function readBooks(): Promise<{ gpus: number; allocations: number }> {
  const { rows } = await database().pool.query<{ gpus: number; allocations: number }>(
    `SELECT (SELECT coalesce(sum(allocated_milli), 0) FROM gpus)::int AS gpus,
            (SELECT coalesce(sum(milli), 0) FROM allocations WHERE released_at IS NULL)::int AS allocations`,
  )
  if (!rows[0]) throw new Error('The query returned no sums.')
  return rows[0]
}
