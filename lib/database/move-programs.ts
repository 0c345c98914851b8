import { statfs } from 'node:fs/promises'
import type pg from 'pg'
import { oneRow } from './transaction'

/**
 * Moves the programs of ended jobs from `jobs.code` to `programs`, before a migration drops the column. A batch stores
 * programs before its jobs refer to them, so it can be interrupted at any time, and the next start continues with the jobs that are left.
 *
 * Web servers and workers of the earlier version may run meanwhile. A worker reads the program of a live job from the row of the job. So these
 * stay, and the migration moves them with all that came meanwhile, while it holds the lock on the table.
 */

/** Batches are neighbours on the disk. By any other order, each would write most pages of each index. */
const pagesPerBatch = 500
/** The rows that were moved make room for the next ones only after this. It reads all indexes. */
const jobsPerVacuum = 250_000
/** So few are left to the migration, which moves a thousand in less than a second. */
const jobsUnderLock = 1_000

/** A row of `programs` without its content, and the entries of a program in both indexes. */
const bytesPerEntry = 200

export interface MoveOptions {
  onProgress?: ((note: string) => void) | undefined
  signal?: AbortSignal | undefined
}

type Client = Pick<pg.Client, 'query'>

/** Rows that were moved, and those of commands, have no program. */
const isMovable = `code <> '' AND ended_at IS NOT NULL`

export async function movePrograms(
  client: Client,
  { onProgress = () => {}, signal }: MoveOptions = {},
): Promise<void> {
  await requireSpace(client)
  const total = await countJobs(client)
  if (total === 0) return
  let moved = 0
  let movedAtVacuum = 0
  // The next pass finds jobs that have ended meanwhile.
  do {
    const { pages } = await oneRow<{ pages: number }>(
      client,
      `SELECT (pg_relation_size('jobs') / current_setting('block_size')::int)::int AS pages`,
    )
    for (let page = 0; page < pages; page += pagesPerBatch) {
      signal?.throwIfAborted()
      const jobs = await moveBatch(client, [`(${page},0)`, `(${page + pagesPerBatch},0)`])
      if (jobs === 0) continue
      moved += jobs
      onProgress(`${inWords(moved)} of ${inWords(Math.max(moved, total))} programs of jobs moved`)
      if (moved - movedAtVacuum < jobsPerVacuum) continue
      await client.query('VACUUM jobs')
      movedAtVacuum = moved
    }
  } while ((await countJobs(client)) > jobsUnderLock)
  await client.query('VACUUM (ANALYZE) jobs, programs')
}

async function countJobs(client: Client): Promise<number> {
  const { jobs } = await oneRow<{ jobs: number }>(
    client,
    `SELECT count(*)::int AS jobs FROM jobs WHERE ${isMovable}`,
  )
  return jobs
}

/** Moves the programs of the ended jobs in some pages of the table. Returns their number. */
async function moveBatch(client: Client, pages: readonly [first: string, next: string]): Promise<number> {
  const inBatch = `ctid >= $1::tid AND ctid < $2::tid AND ${isMovable}`
  await client.query(
    `INSERT INTO programs (hash, content)
     SELECT DISTINCT ON (sha256(code)) sha256(code), code FROM jobs WHERE ${inBatch} ORDER BY sha256(code)
     ON CONFLICT DO NOTHING`,
    [...pages],
  )
  // Only of what is stored: a job may have ended since.
  const { rowCount } = await client.query(
    `UPDATE jobs SET program_hash = sha256(code), code = ''
      WHERE ${inBatch} AND EXISTS (SELECT 1 FROM programs WHERE hash = sha256(code))`,
    [...pages],
  )
  return rowCount ?? 0
}

/**
 * @throws if the disk of a database on this machine has less space than the move needs for the programs that are left. Programs are copied
 * with the size that they have on the disk; a row of a table for large values adds a few percent. Rows that were moved, with their entries in
 * indexes, are twice on the disk until the next vacuum. The log may grow to its limit, but not to more than a few times of what is written.
 */
async function requireSpace(client: Client): Promise<void> {
  const { jobs, needed, directory } = await oneRow<{
    jobs: number
    needed: number
    directory: string | null
  }>(
    client,
    `WITH all_jobs AS (
       SELECT count(*)::float8 AS rows, count(*) FILTER (WHERE code <> '')::float8 AS jobs,
              coalesce(sum(pg_column_size(code)) FILTER (WHERE code <> ''), 0)::float8 AS bytes FROM jobs
     ), copied AS (
       SELECT jobs, bytes * 1.3 + jobs * $2 + least(jobs, $1) / greatest(rows, 1)
                    * (pg_relation_size('jobs') + pg_indexes_size('jobs')) AS bytes FROM all_jobs
     )
     SELECT jobs, bytes + least(bytes * 3, pg_size_bytes(current_setting('max_wal_size'))) AS needed,
            -- Only through its own socket is the server on this machine for certain.
            CASE WHEN inet_server_addr() IS NULL AND pg_has_role('pg_read_all_settings', 'MEMBER')
                 THEN current_setting('data_directory') END AS directory
       FROM copied`,
    [jobsPerVacuum, bytesPerEntry],
  )
  if (directory === null) return
  const disk = await statfs(directory).catch(() => null)
  if (disk === null) return
  const free = disk.bavail * disk.bsize
  if (free >= needed) return
  throw new Error(
    `The upgrade moves the programs of ${inWords(jobs)} jobs and needs ${inGib(needed)} GiB on the disk of ${directory}, which has ${inGib(free)} GiB free. Free ${inGib(needed - free)} GiB more, and start gpuq again. Nothing is lost: what was moved stays moved.`,
  )
}

const inWords = (count: number) => count.toLocaleString('en')
const inGib = (bytes: number) => (Math.ceil((bytes / 2 ** 30) * 10) / 10).toFixed(1)
