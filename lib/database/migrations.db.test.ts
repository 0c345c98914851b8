import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { makeJob } from '../cluster/testing/rows'
import { embeddedUrl } from './embedded'
import { listMigrations, migrate, migrationsDirectory } from './migrate'

/** Migrations that change rows: an earlier version's rows are there when they are applied. */

let url: string
let pool: pg.Pool

beforeEach(async () => {
  const name = `migrated_${randomBytes(6).toString('hex')}`
  const postgres = inject('postgresDirectory')
  const admin = new pg.Client({ connectionString: embeddedUrl(postgres, 'postgres') })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.end()
  url = embeddedUrl(postgres, name)
  pool = new pg.Pool({ connectionString: url })
})
afterEach(() => pool.end())

/** Applies all migrations before one. */
async function migrateUntil(migration: string): Promise<void> {
  const all = await listMigrations()
  expect(all).toContain(migration)
  await migrate(url, migrationsDirectory, all.slice(0, all.indexOf(migration)))
}

it('0 days meant that a user had the files deleted, and other numbers meant the retention', async () => {
  await migrateUntil('20261123001000_files_deleted')
  const days = new Map<string, number | null>()
  for (const given of [0, 1, 90, null]) {
    const job = await makeJob({}, pool)
    days.set(job, given)
    await pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now(),
              result_stored = true, deleted_after_days = $2 WHERE id = $1`,
      [job, given],
    )
  }
  await migrate(url)
  const { rows } = await pool.query('SELECT id, files_deleted, deleted_after_days FROM jobs')
  const found = rows.map((row) => [days.get(row.id), row.files_deleted, row.deleted_after_days])
  expect(found).toHaveLength(4)
  expect(found).toEqual(
    expect.arrayContaining([
      [0, 'on_request', null],
      [1, 'retention', 1],
      [90, 'retention', 90],
      [null, null, null],
    ]),
  )
})

it('jobs have the tags of their configs', async () => {
  await migrateUntil('20261123172500_job_labels')
  const specs = [{ tags: ['v2', 'best', 'v2'] }, { tags: [] }, {}]
  const jobs = await Promise.all(specs.map((spec) => makeJob({ spec }, pool)))
  await migrate(url)
  const { rows } = await pool.query<{ id: string; tags: string[] }>('SELECT id, tags FROM jobs')
  const found = new Map(rows.map(({ id, tags }) => [id, tags.sort()]))
  expect(jobs.map((id) => found.get(id))).toEqual([['best', 'v2'], [], []])
})

it('messages about ended jobs stay, delivered or not', async () => {
  await migrateUntil('20261123212000_notification_targets')
  const spec = { notify_url: 'https://Example.org:8443/done?key=1' }
  const [live, told, open] = await Promise.all([1, 2, 3].map(() => makeJob({ spec }, pool)))
  await pool.query(
    `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 3, ended_at = now() WHERE id = ANY ($1)`,
    [[told, open]],
  )
  for (const [job, settled] of [
    [live, null],
    [told, new Date()],
    [open, null],
  ])
    await pool.query('INSERT INTO job_notifications (job_id, attempts, settled_at) VALUES ($1, 2, $2)', [
      job,
      settled,
    ])
  await migrate(url)
  const select = `SELECT job_id, event, attempts, settled_at IS NOT NULL AS settled, split_part(lane, ' ', 2) AS host
                    FROM notification_deliveries ORDER BY created_at`
  const stored = { event: 'job.failed', host: 'example.org:8443' }
  const found = (await pool.query(select)).rows
  expect(found).toHaveLength(2)
  expect(found).toEqual(
    expect.arrayContaining([
      { ...stored, job_id: told, attempts: 2, settled: true },
      { ...stored, job_id: open, attempts: 2, settled: false },
    ]),
  )
  await pool.query(
    `UPDATE jobs SET status = 'failed', reason = 'exit_code', exit_code = 3, ended_at = now() WHERE id = $1`,
    [live],
  )
  expect((await pool.query(select)).rows).toContainEqual({
    ...stored,
    job_id: live,
    attempts: 0,
    settled: false,
  })
})
