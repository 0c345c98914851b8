import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { findStored } from '@/lib/access/testing/people'
import { type EndReason, endReasons, isCancelReason } from '@/lib/contract/reasons'
import { isFinal, type JobStatus, jobTransitions } from '@/lib/contract/status'
import type { Database } from '@/lib/database/client'
import type { Jobs } from './jobs'

const run = promisify(execFile)

/** A gpuq whose state can be checked: with real containers, or with those of the fake engine. */
export interface CheckedLab<Engine> {
  database: Database
  jobs: Jobs
  engine: Engine
  directory: string
  tokens: readonly string[]
  /** All that its workers have logged. */
  log: string
  containers(engine?: Engine): Promise<{ taskId: string; state: string }[]>
  networks(engine?: Engine): Promise<string[]>
  taskDirectories(): Promise<string[]>
}

interface Ended {
  id: string
  status: JobStatus
  reason: string
  exitCode: number | null
}

interface Change {
  jobId: string
  before: JobStatus
  after: JobStatus
}

/**
 * What must be true after any fault, once everything has come to rest: every job in one legal final status, given once;
 * the GPUs' books empty and equal to the containers, of which none is left; no networks and no files of tasks; every result stored;
 * no token in the database, on the disk or in a log.
 */
export async function expectAllTrue<Engine>(
  lab: CheckedLab<Engine>,
  engine: Engine = lab.engine,
): Promise<void> {
  const { pool } = lab.database
  const ended = await lab.jobs.until('every job has ended and its result is stored', async () => {
    const { rows } = await pool.query<Ended & { resultStored: boolean }>(
      'SELECT id, status, reason, exit_code AS "exitCode", result_stored AS "resultStored" FROM jobs',
    )
    return rows.every(({ status, resultStored }) => isFinal(status) && resultStored) && rows
  })
  for (const job of ended) expectLegalVerdict(job)
  await expectOneVerdictEach(lab, ended.length)
  await lab.jobs.until('no container is left', async () => (await lab.containers(engine)).length === 0)
  await lab.jobs.until('no network is left', async () => (await lab.networks(engine)).length === 0)
  await lab.jobs.until('no files of a task are left', async () => (await lab.taskDirectories()).length === 0)
  expect(await readBooks(lab)).toEqual([])
  const { rows } = await pool.query(
    `SELECT (SELECT count(*) FROM tasks WHERE status IN ('scheduled', 'starting', 'running'))::int AS tasks,
            (SELECT count(*) FROM log_chunks)::int AS chunks`,
  )
  expect(rows).toEqual([{ tasks: 0, chunks: 0 }])
  await expectNoTokens(lab)
}

/** No row, no file below the lab's directory and no log of a worker contains a token that was used in the lab. */
async function expectNoTokens({
  tokens,
  database,
  directory,
  log,
}: Pick<CheckedLab<unknown>, 'tokens' | 'database' | 'directory' | 'log'>): Promise<void> {
  if (tokens.length === 0) return
  expect(await findStored(tokens, database.pool)).toEqual([])
  expect(await filesWith(tokens, directory)).toEqual([])
  expect(tokens.filter((token) => log.includes(token))).toEqual([])
}

/** The files below a directory that contain any of the texts. A file may disappear meanwhile. */
export async function filesWith(texts: readonly string[], directory: string): Promise<string[]> {
  const patterns = texts.flatMap((text) => ['-e', text])
  const args = ['--recursive', '--files-with-matches', '--no-messages', '--fixed-strings', '--text']
  const { stdout } = await run('grep', [...args, ...patterns, directory]).catch((error) => {
    // It found nothing, or a file was gone.
    if (error.code === 1 || error.code === 2) return { stdout: String(error.stdout) }
    throw error
  })
  return stdout.split('\n').filter(Boolean)
}

function expectLegalVerdict({ id, status, reason, exitCode }: Ended): void {
  expect(Object.keys(endReasons), id).toContain(reason)
  expect(status === 'completed', id).toBe(reason === 'finished')
  if (status === 'completed') expect(exitCode, id).toBe(0)
  expect(status === 'cancelled', id).toBe(isCancelReason(reason as EndReason))
}

async function expectOneVerdictEach(lab: Pick<CheckedLab<unknown>, 'database'>, jobs: number): Promise<void> {
  const { rows } = await lab.database.pool.query<Change>(
    'SELECT job_id AS "jobId", before, after FROM status_history ORDER BY n',
  )
  for (const { jobId, before, after } of rows) {
    expect(jobTransitions[before], `${jobId}: ${before} → ${after}`).toContain(after)
  }
  const verdicts = rows.filter(({ after }) => isFinal(after)).map(({ jobId }) => jobId)
  expect(new Set(verdicts).size).toBe(verdicts.length)
  expect(verdicts).toHaveLength(jobs)
}

/** GPUs of which anything is given out, by the GPU's own row and by the allocations, in one snapshot. */
export async function readBooks(
  lab: Pick<CheckedLab<unknown>, 'database'>,
): Promise<{ gpu: string; given: number; allocated: number }[]> {
  const { rows } = await lab.database.pool.query<{ gpu: string; given: number; allocated: number }>(
    `SELECT g.uuid AS gpu, g.allocated_milli AS given, coalesce(sum(a.milli), 0)::int AS allocated
       FROM gpus g LEFT JOIN allocations a ON a.gpu_id = g.id AND a.released_at IS NULL
      GROUP BY g.id HAVING g.allocated_milli <> 0 OR count(a.gpu_id) > 0`,
  )
  return rows
}

/** The containers that run are those of the tasks that hold a GPU: no more, no less. */
export async function expectBooksMatchContainers<Engine>(
  lab: Pick<CheckedLab<Engine>, 'database' | 'jobs' | 'containers' | 'engine'>,
  engine: Engine = lab.engine,
): Promise<void> {
  await lab.jobs.until('the books match the containers', async () => {
    const { rows } = await lab.database.pool.query<{ taskId: string }>(
      'SELECT task_id AS "taskId" FROM allocations WHERE released_at IS NULL',
    )
    const held = rows.map(({ taskId }) => taskId).sort()
    const running = (await lab.containers(engine)).map(({ taskId }) => taskId).sort()
    return JSON.stringify(held) === JSON.stringify(running)
  })
  for (const { given, allocated } of await readBooks(lab)) expect(given).toBe(allocated)
}
