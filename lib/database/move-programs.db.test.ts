import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { afterEach, beforeEach, expect, inject, it, onTestFinished, vi } from 'vitest'
import { makeJobPlace } from '../cluster/testing/rows'
import { embeddedUrl } from './embedded'
import { listMigrations, migrate, migrationsDirectory } from './migrate'

vi.mock(import('node:fs/promises'), async (load) => {
  const original = await load()
  return { ...original, statfs: vi.fn(original.statfs) as never }
})

let url: string
let pool: pg.Pool

const last = '20261201102000_jobs_without_code'
/** All migrations before one. */
const before = async (name: string) => {
  const all = await listMigrations()
  return all.slice(0, all.indexOf(name))
}

/** A database of the version before. */
beforeEach(async () => {
  const name = `moved_${randomBytes(6).toString('hex')}`
  const postgres = inject('postgresDirectory')
  const admin = new pg.Client({ connectionString: embeddedUrl(postgres, 'postgres') })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.end()
  url = embeddedUrl(postgres, name)
  pool = new pg.Pool({ connectionString: url })
  await migrate(url, migrationsDirectory, { only: await before('20261201101000_programs') })
})
afterEach(async () => {
  vi.mocked(fs.statfs).mockClear()
  await pool.end()
})

/** Jobs that need two batches. */
const many = 2_500

/** Each of so many jobs has not ended. */
const oneLive = 50

/** Inserts jobs of which a page has few; programs repeat after `programs` of them. */
async function makeJobs(count: number, programs: number): Promise<void> {
  const { userId, projectId, environmentId } = await makeJobPlace({}, pool)
  await pool.query(
    `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, code, expected_time_s, time_limit_s,
                       status, reason, exit_code, ended_at, result_stored)
     SELECT gen_random_uuid(), $1, $2, $3, 'competition', jsonb_build_object('args', repeat('x', 1500)), convert_to('print(' || n % $5 || ')', 'UTF8'), 60, 120,
            CASE WHEN live THEN 'pending' ELSE 'completed' END::"JobStatus", CASE WHEN NOT live THEN 'finished' END,
            CASE WHEN NOT live THEN 0 END, CASE WHEN NOT live THEN now() END, NOT live
       FROM generate_series(1, $4) n CROSS JOIN LATERAL (SELECT n % $6 = 0 AS live) l`,
    [userId, projectId, environmentId, count, programs, oneLive],
  )
}

/** The programs of the jobs, in the order of the jobs, from where the schema has them. */
async function readPrograms(): Promise<string[]> {
  const { rows: columns } = await pool.query(
    `SELECT 1 FROM information_schema.columns WHERE table_name = 'jobs' AND column_name = 'code'`,
  )
  const { rows } = await pool.query<{ code: string }>(
    columns.length > 0
      ? `SELECT convert_from(code, 'UTF8') AS code FROM jobs ORDER BY id`
      : `SELECT convert_from(content, 'UTF8') AS code FROM jobs JOIN programs ON hash = program_hash ORDER BY id`,
  )
  return rows.map(({ code }) => code)
}

async function readStoredBytes(
  table: 'storage_changes' | 'stored_bytes' = 'storage_changes',
): Promise<Record<string, unknown>[]> {
  const { rows } = await pool.query(
    `SELECT user_id, project_id, sum(bytes)::int AS bytes FROM ${table} WHERE kind = 'sources' GROUP BY 1, 2`,
  )
  return rows
}

/** Moves one batch and stops. */
async function moveOneBatch(): Promise<void> {
  const stop = new AbortController()
  const stopped = migrate(url, undefined, { onProgress: () => stop.abort(), signal: stop.signal })
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
}

it('the programs of earlier jobs: each is stored once, every job keeps its own, and stored bytes stay the same', async () => {
  await makeJobs(many, 700)
  const [programs, stored] = [await readPrograms(), await readStoredBytes()]
  const notes: string[] = []
  const { applied } = await migrate(url, undefined, { onProgress: (note) => notes.push(note) })
  expect(applied.at(-1)).toBe((await listMigrations()).at(-1))
  expect(await readPrograms()).toEqual(programs)
  const { rows } = await pool.query<{ hash: Buffer; content: Buffer }>('SELECT hash, content FROM programs')
  expect(rows).toHaveLength(700)
  for (const { hash, content } of rows) expect(hash).toEqual(createHash('sha256').update(content).digest())
  expect(await readStoredBytes()).toEqual(stored)
  expect(await readStoredBytes('stored_bytes')).toEqual(stored)
  expect(notes.length).toBeGreaterThan(1)
  expect(notes.at(-1)).toBe('2,450 of 2,450 programs of jobs moved')
  expect(await migrate(url)).toEqual({ applied: [] })
})

it('a move that ends after one batch: the column stays, and the next start moves the other jobs', async () => {
  await makeJobs(many, 700)
  const programs = await readPrograms()
  await moveOneBatch()
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE code <> '')::int AS left, count(program_hash)::int AS moved FROM jobs`,
  )
  const [{ left, moved }] = rows
  expect([left + moved, left > 0, moved > 0]).toEqual([many, true, true])
  await migrate(url)
  expect(await readPrograms()).toEqual(programs)
})

it('a connection that is lost during a batch: the batch is undone, and the next start moves its jobs', async () => {
  await makeJobs(100, 50)
  const programs = await readPrograms()
  await migrate(url, migrationsDirectory, { only: await before(last) })
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('BEGIN; SELECT 1 FROM jobs WHERE ended_at IS NOT NULL ORDER BY id LIMIT 1 FOR UPDATE')
  const lost = expect(migrate(url)).rejects.toThrow()
  await vi.waitFor(async () => {
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE jobs%'`,
    )
    expect(rowCount).toBe(1)
  }, 60_000)
  await lost
  await holder.query('COMMIT')
  const { rows } = await pool.query('SELECT count(program_hash)::int AS moved FROM jobs')
  expect(rows).toEqual([{ moved: 0 }])
  await migrate(url)
  expect(await readPrograms()).toEqual(programs)
})

it('a job without a program stays one, and a column with programs is never dropped', async () => {
  await makeJobs(1, 1)
  await pool.query(
    `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, code, command, expected_time_s, time_limit_s)
                    SELECT $1, user_id, project_id, environment_id, competition_id, '{}', '', 'ls', 60, 60 FROM jobs`,
    [uuidv7()],
  )
  await migrate(url, migrationsDirectory, { only: await before(last) })
  // So no program is copied.
  await pool.query(
    `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER lose BEFORE INSERT ON programs FOR EACH ROW EXECUTE FUNCTION lose()`,
  )
  const script = await fs.readFile(`${migrationsDirectory}/${last}/migration.sql`, 'utf8')
  await expect(pool.query(script)).rejects.toThrow('jobs.code has programs that were not copied')
  await pool.query('DROP TRIGGER lose ON programs')
  await migrate(url)
  const { rows } = await pool.query('SELECT command, program_hash IS NULL AS none FROM jobs ORDER BY command')
  expect(rows).toEqual([
    { command: 'ls', none: true },
    { command: null, none: false },
  ])
})

it('jobs that have not ended: a worker of the earlier version finds their programs in their rows until all are moved', async () => {
  await makeJobs(many, 700)
  const programs = await readPrograms()
  await moveOneBatch()
  const { rows } = await pool.query(
    `SELECT count(*)::int AS live FROM jobs WHERE ended_at IS NULL AND code <> '' AND program_hash IS NULL`,
  )
  expect(rows).toEqual([{ live: many / oneLive }])
  await migrate(url)
  expect(await readPrograms()).toEqual(programs)
})

it('jobs that a server of the earlier version inserts or ends after the last batch: the migration moves their programs', async () => {
  await makeJobs(100, 50)
  await migrate(url, migrationsDirectory, { only: await before(last) })
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  onTestFinished(() => holder.end())
  // The vacuum after the last batch waits for this lock. Inserts do not.
  await holder.query('BEGIN; LOCK TABLE programs IN SHARE UPDATE EXCLUSIVE MODE')
  const migrated = migrate(url)
  await vi.waitFor(async () => {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'VACUUM%'`,
    )
    expect(rowCount).toBe(1)
  }, 60_000)
  await makeJobs(60, 60)
  await holder.query('COMMIT')
  await migrated
  expect(await readPrograms()).toHaveLength(160)
  expect(await readStoredBytes('stored_bytes')).toEqual(expect.arrayContaining(await readStoredBytes()))
})

it('files that a server of the earlier version deletes on request during the move: the programs are deleted too, and no longer count', async () => {
  await makeJobs(many, many)
  await moveOneBatch()
  // As the earlier version does.
  const remove = `UPDATE jobs SET files_deleted = 'on_request', code = '' WHERE ended_at IS NOT NULL`
  const chosen = (condition: string) =>
    `${remove} AND id IN (SELECT id FROM jobs WHERE ${condition} LIMIT 10)`
  await pool.query(chosen('program_hash IS NOT NULL AND ended_at IS NOT NULL'))
  await pool.query(chosen(`code <> '' AND ended_at IS NOT NULL`))
  await migrate(url)
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE files_deleted = 'on_request')::int AS deleted,
            count(program_hash) FILTER (WHERE files_deleted = 'on_request')::int AS kept,
            (SELECT count(*)::int FROM programs) AS programs FROM jobs`,
  )
  expect(rows).toEqual([{ deleted: 20, kept: 0, programs: many - 20 }])
  expect(await readStoredBytes()).toEqual(await readStoredBytes('stored_bytes'))
})

it('a disk that is too small: the move does not begin, and says how much is missing', async () => {
  await makeJobs(100, 100)
  const disk = await fs.statfs('/')
  vi.mocked(fs.statfs).mockResolvedValue({ ...disk, bavail: 0, bsize: 4096 })
  await expect(migrate(url)).rejects.toThrow(
    /moves the programs of 100 jobs and needs [\d.]+ GiB on the disk of .*, which has 0\.0 GiB free\. Free [\d.]+ GiB more, and start gpuq again/,
  )
  const { rows } = await pool.query('SELECT count(program_hash)::int AS moved FROM jobs')
  expect(rows).toEqual([{ moved: 0 }])
  vi.mocked(fs.statfs).mockResolvedValue({ ...disk, bavail: 2 ** 30, bsize: 4096 })
  await migrate(url)
  expect(await readPrograms()).toHaveLength(100)
})

it('large programs: the move asks for more space than they take, and takes no more than it asked for', async () => {
  await makeJobs(60, 60)
  await pool.query(
    `UPDATE jobs SET code = decode((SELECT string_agg(md5(random()::text || id || n), '') FROM generate_series(1, 32768) n), 'hex')`,
  )
  await pool.query('VACUUM FULL jobs')
  const sizes = async () =>
    (
      await pool.query(
        `SELECT sum(octet_length(code))::float8 AS bytes, pg_database_size(current_database())::float8 AS used FROM jobs`,
      )
    ).rows[0]
  const { bytes, used } = await sizes()
  const disk = await fs.statfs('/')
  const withFree = (free: number) =>
    vi.mocked(fs.statfs).mockResolvedValue({ ...disk, bavail: Math.floor(free), bsize: 1 })
  withFree(bytes * 1.3)
  await expect(migrate(url)).rejects.toThrow(/moves the programs of 60 jobs and needs/)
  withFree(bytes * 1.3 * 4.5)
  await migrate(url)
  const { rows } = await pool.query(`SELECT pg_database_size(current_database())::float8 AS used`)
  expect(rows[0].used - used).toBeLessThan(bytes * 1.3)
})
