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

/** Inserts jobs of which a page has few; programs repeat after `programs` of them. */
async function makeJobs(count: number, programs: number): Promise<void> {
  const { userId, projectId, environmentId } = await makeJobPlace({}, pool)
  await pool.query(
    `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, code, expected_time_s, time_limit_s)
     SELECT gen_random_uuid(), $1, $2, $3, 'competition', jsonb_build_object('args', repeat('x', 1500)), convert_to('print(' || n % $5 || ')', 'UTF8'), 60, 120
       FROM generate_series(1, $4) n`,
    [userId, projectId, environmentId, count, programs],
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

async function readStoredBytes(): Promise<Record<string, unknown>[]> {
  const { rows } = await pool.query(
    `SELECT user_id, project_id, sum(bytes)::int AS bytes FROM storage_changes WHERE kind = 'sources' GROUP BY 1, 2`,
  )
  return rows
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
  const { rows: counted } = await pool.query(
    `SELECT user_id, project_id, sum(bytes)::int AS bytes FROM stored_bytes WHERE kind = 'sources' GROUP BY 1, 2`,
  )
  expect(counted).toEqual(stored)
  expect(notes.length).toBeGreaterThan(1)
  expect(notes.at(-1)).toBe('2,500 of 2,500 programs of jobs moved')
  expect(await migrate(url)).toEqual({ applied: [] })
})

it('a move that ends after one batch: the column stays, and the next start moves the other jobs', async () => {
  await makeJobs(many, 700)
  const programs = await readPrograms()
  const stop = new AbortController()
  const stopped = migrate(url, undefined, { onProgress: () => stop.abort(), signal: stop.signal })
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
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
  await holder.query('BEGIN; SELECT 1 FROM jobs ORDER BY id LIMIT 1 FOR UPDATE')
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
  const script = await fs.readFile(`${migrationsDirectory}/${last}/migration.sql`, 'utf8')
  await expect(pool.query(script)).rejects.toThrow('jobs.code still has programs. Start gpuq')
  await migrate(url)
  const { rows } = await pool.query('SELECT command, program_hash IS NULL AS none FROM jobs ORDER BY command')
  expect(rows).toEqual([
    { command: 'ls', none: true },
    { command: null, none: false },
  ])
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
