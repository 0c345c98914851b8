import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@/worker/testing/until'
import type { Ledger } from './ledger'
import type { SoakSystem } from './soak-system'

/** What must be true of the database and the engine when all jobs have ended. Returns what is not. */
export async function checkAtRest(system: SoakSystem): Promise<string[]> {
  const { pool } = system
  const problems: string[] = []
  await until('the outputs of all jobs are stored', async () => {
    const { rows } = await pool.query(`SELECT (SELECT count(*) FROM log_chunks)::int AS chunks,
      (SELECT count(*) FROM jobs WHERE NOT result_stored)::int AS unstored`)
    return rows[0].chunks === 0 && rows[0].unstored === 0
  }).catch(({ message }: Error) => problems.push(message))
  await until('no container and no network of a job is left', async () => {
    const { containers, networks } = await system.countInEngine()
    // Warm containers go on waiting for jobs.
    const { rows } = await pool.query('SELECT sum(warm_containers)::int AS warm FROM nodes')
    return containers === rows[0].warm && networks === 0
  }).catch(({ message }: Error) => problems.push(message))
  const { rows: gpus } = await pool.query('SELECT 1 FROM gpus WHERE allocated_milli <> 0')
  if (gpus.length > 0) problems.push(`${gpus.length} GPUs are still allocated`)
  const { rows: tasks } = await pool.query(
    `SELECT 1 FROM tasks WHERE status IN ('scheduled', 'starting', 'running')`,
  )
  if (tasks.length > 0) problems.push(`${tasks.length} tasks have not ended`)
  const { rows: open } = await pool.query('SELECT 1 FROM allocations WHERE released_at IS NULL')
  if (open.length > 0) problems.push(`${open.length} allocations are not released`)
  await until('each stored file has a row, and each row a file', async () => {
    const { rows } = await pool.query(`SELECT (SELECT count(*) FROM result_files)::int AS results,
      (SELECT count(*) FROM artifacts)::int AS artifacts, (SELECT count(DISTINCT (project_id, hash)) FROM archive_blobs)::int AS blobs`)
    const counts = await Promise.all(areas.map((area) => countFiles(join(system.dataDir, area))))
    return areas.every((area, index) => rows[0][area] === counts[index])
  }).catch(({ message }: Error) => problems.push(message))
  const ofTasks = await countFiles(
    join(system.dataDir, 'tasks'),
    (directory) => !/\.warm(\/|$)/.test(directory),
  )
  if (ofTasks > 0) problems.push(`${ofTasks} files of ended tasks are left`)
  return problems
}

/** The directories of stored files, and the figures of their rows. */
const areas = ['results', 'artifacts', 'blobs'] as const

/** A file that a killed process did not complete has a dot in front. It is deleted an hour later. */
async function countFiles(directory: string, counts = (_directory: string) => true): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.') && counts(entry.parentPath))
    .length
}

/** Jobs that got a final status twice, or none, and jobs that no user submitted. */
export async function checkFinalStatuses({ pool }: SoakSystem, ledger: Ledger): Promise<string[]> {
  const { rows: twice } = await pool.query(`SELECT job_id, count(*) AS n FROM soak_status_history
    WHERE after IN ('completed', 'failed', 'cancelled') GROUP BY job_id HAVING count(*) > 1`)
  const { rows: jobs } = await pool.query<{ id: string; status: string }>('SELECT id, status FROM jobs')
  const known = new Set(jobs.map(({ id }) => id))
  return [
    ...twice.map(({ job_id, n }) => `job ${job_id} got ${n} final statuses`),
    ...[...ledger.jobs.keys()].filter((id) => !known.has(id)).map((id) => `the accepted job ${id} is lost`),
    ...jobs
      .filter(({ id }) => !ledger.jobs.has(id))
      .map(({ id }) => `job ${id} exists, but no submission returned it`),
  ]
}
