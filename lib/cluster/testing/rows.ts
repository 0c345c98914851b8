import { uuidv7 } from 'uuidv7'
import { database } from '../../database/client'
import { resolveRun } from '../../jobs/submission/resolve-run'
import { type Lease, offerNode, registerNode } from '../nodes/nodes'

/** Builders of the rows that tests start from. Every test that needs jobs or tasks in the database uses them. */

/** Makes a user, or returns the one that has this handle. */
export async function makeUser(
  handle = `user-${uuidv7().slice(-12)}`,
  pool = database().pool,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'INSERT INTO users (id, handle) VALUES ($1, $2) ON CONFLICT (handle) DO UPDATE SET handle = $2 RETURNING id',
    [uuidv7(), handle],
  )
  return rows[0]?.id ?? ''
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
  /** A new user if absent. */
  userId?: string
  /** Whose project it is: the user's own if absent. */
  ownerId?: string
  project?: string
  maxRetries?: number
  spec?: Record<string, unknown>
  priority?: number
  code?: string
  command?: string | null
  timeLimitS?: number
  image?: string
  /** It may start only tomorrow. */
  held?: boolean
}

const defaultImage = 'gpuq/python:2'

/** Inserts a waiting job, and what it belongs to where that is absent. Nobody is notified. */
export async function makeJob(options: JobOptions = {}, pool = database().pool): Promise<string> {
  const id = uuidv7()
  const code = Buffer.from(options.code ?? 'print(1)')
  const { userId, projectId, environmentId } = await makeJobPlace(options, pool)
  await pool.query(
    `WITH program AS (
       INSERT INTO programs (hash, content) SELECT sha256($6), $6 WHERE $6 <> ''::bytea ON CONFLICT DO NOTHING
     )
     INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, program_hash, command, priority, max_retries,
                       expected_time_s, time_limit_s, not_before)
     VALUES ($1, $2, $3, $4, 'competition', $5, CASE WHEN $6 <> ''::bytea THEN sha256($6) END, $7, $8, $9, 60, $10,
             CASE WHEN $11 THEN now() + interval '1 day' END)`,
    [
      id,
      userId,
      projectId,
      environmentId,
      options.spec ?? {},
      code,
      options.command,
      options.priority ?? 0,
      options.maxRetries ?? 2,
      options.timeLimitS ?? 120,
      options.held ?? false,
    ],
  )
  const name = options.spec?.run_name
  if (typeof name === 'string') await setRun(id, name, pool)
  return id
}

/** Inserts what a job belongs to, where that is absent. */
export async function makeJobPlace(
  options: Pick<JobOptions, 'userId' | 'ownerId' | 'project' | 'image'>,
  pool = database().pool,
): Promise<{ userId: string; projectId: string; environmentId: string }> {
  const { project = 'project', image = defaultImage } = options
  const userId = options.userId ?? (await makeUser(undefined, pool))
  const ownerId = options.ownerId ?? userId
  const environment = image === defaultImage ? 'python' : image
  await pool.query(
    `INSERT INTO environments (id, name, image, is_default) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [uuidv7(), environment, image, environment === 'python'],
  )
  await pool.query(
    `INSERT INTO projects (id, slug, owner_id) VALUES ($1, $2, $3) ON CONFLICT (owner_id, slug) DO NOTHING`,
    [uuidv7(), project, ownerId],
  )
  const { rows } = await pool.query<{ projectId: string; environmentId: string }>(
    `SELECT p.id AS "projectId", e.id AS "environmentId" FROM projects p, environments e
      WHERE p.owner_id = $1 AND p.slug = $2 AND e.name = $3`,
    [ownerId, project, environment],
  )
  return { userId, projectId: '', environmentId: '', ...rows[0] }
}

/** Gives a job the run that a submission with this name would get. Returns the id of the run. */
export async function setRun(job: string, name: string, pool = database().pool): Promise<string> {
  const { rows } = await pool.query<{ userId: string; projectId: string }>(
    'SELECT user_id AS "userId", project_id AS "projectId" FROM jobs WHERE id = $1',
    [job],
  )
  const run = await resolveRun(pool, { userId: '', projectId: '', ...rows[0], restriction: null }, name)
  await pool.query('UPDATE jobs SET named_run_id = $2 WHERE id = $1', [job, run])
  return run
}

/** Adds rows like an existing one, with the values of `set` in the columns that it names. Returns their ids. */
export async function copyRows(
  table: 'jobs' | 'tasks',
  like: string,
  set: Record<string, unknown> = {},
  { count = 1, pool = database().pool } = {},
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO ${table}
     SELECT made.* FROM ${table} one CROSS JOIN generate_series(1, $3) n,
            jsonb_populate_record(one, $2::jsonb || jsonb_build_object('id', gen_random_uuid(), 'n', n)) made
      WHERE one.id = $1 RETURNING id`,
    [like, set, count],
  )
  return rows.map(({ id }) => id)
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
