import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { afterEach, beforeEach, expect, inject, it, onTestFinished, vi } from 'vitest'
import { type JobOptions, makeJobPlace, makeUser } from '../cluster/testing/rows'
import { embeddedUrl } from './embedded'
import { listMigrations, migrate, migrationsDirectory, recordMigration } from './migrate'

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
  await migrate(url, migrationsDirectory, { only: all.slice(0, all.indexOf(migration)) })
}

/** Inserts a job into the schema of an earlier version, which had the program in the row. */
async function makeOldJob({ code = 'print(1)', spec = {}, ...place }: JobOptions = {}): Promise<string> {
  const id = uuidv7()
  const { userId, projectId, environmentId } = await makeJobPlace(place, pool)
  await pool.query(
    `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, code, expected_time_s, time_limit_s)
     VALUES ($1, $2, $3, $4, 'competition', $5, $6, 60, 120)`,
    [id, userId, projectId, environmentId, spec, Buffer.from(code)],
  )
  return id
}

/** Calls `work` with a directory that has one migration. */
async function withMigration(sql: string, work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-migrations-'))
  try {
    await mkdir(join(directory, '1_only'))
    await writeFile(join(directory, '1_only', 'migration.sql'), sql)
    await writeFile(join(directory, 'migration_lock.toml'), 'provider = "postgresql"')
    await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

it('a migration that failed leaves nothing behind, and the next start applies it', () =>
  withMigration('CREATE TABLE one (); INSERT INTO two DEFAULT VALUES', async (directory) => {
    await expect(migrate(url, directory)).rejects.toThrow()
    await pool.query('CREATE TABLE two ()')
    expect(await migrate(url, directory)).toEqual({ applied: ['1_only'] })
    expect(await migrate(url, directory)).toEqual({ applied: [] })
  }))

it('a migration that the database commits after gpuq was killed is not applied again', () =>
  withMigration('CREATE TABLE one ()', async (directory) => {
    await migrate(url, directory)
    await pool.query('DROP TABLE one')
    const orphan = new pg.Client({ connectionString: url })
    onTestFinished(() => orphan.end())
    await orphan.connect()
    // As the first process left it: the migration runs in the database, and nobody will record its end.
    await orphan.query('UPDATE _prisma_migrations SET finished_at = NULL')
    await orphan.query(`BEGIN; ${recordMigration}; CREATE TABLE one ()`)
    const next = migrate(url, directory)
    await vi.waitFor(async () => {
      const { rowCount } = await pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBeGreaterThan(0)
    })
    await orphan.query('COMMIT')
    expect(await next).toEqual({ applied: [] })
  }))

it('0 days meant that a user had the files deleted, and other numbers meant the retention', async () => {
  await migrateUntil('20261123001000_files_deleted')
  const days = new Map<string, number | null>()
  for (const given of [0, 1, 90, null]) {
    const job = await makeOldJob({})
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
  const jobs = await Promise.all(specs.map((spec) => makeOldJob({ spec })))
  await migrate(url)
  const { rows } = await pool.query<{ id: string; tags: string[] }>('SELECT id, tags FROM jobs')
  const found = new Map(rows.map(({ id, tags }) => [id, tags.sort()]))
  expect(jobs.map((id) => found.get(id))).toEqual([['best', 'v2'], [], []])
})

it('messages about ended jobs stay, delivered or not', async () => {
  await migrateUntil('20261123212000_notification_targets')
  const spec = { notify_url: 'https://Example.org:8443/done?key=1' }
  const [live, told, open] = await Promise.all([1, 2, 3].map(() => makeOldJob({ spec })))
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

it('contents belong to the users who uploaded them, as far as jobs and snapshots tell, and count for each', async () => {
  await migrateUntil('20261127020000_content_holders')
  const hex = (text: string) => createHash('sha256').update(text).digest('hex')
  const [first, second, named, alone] = await Promise.all([1, 2, 3, 4].map(() => makeOldJob({})))
  const usersOf = new Map(
    (await pool.query('SELECT id, user_id, project_id FROM jobs')).rows.map((row) => [row.id, row]),
  )
  const [ada, bob, carol, lone] = [first, second, named, alone].map((job) => usersOf.get(job).user_id)
  const [project, ownProject] = [first, alone].map((job) => usersOf.get(job).project_id)
  await pool.query('UPDATE jobs SET project_id = $1 WHERE id = ANY ($2)', [project, [second, named]])
  await pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2), ($1, $3)', [
    project,
    bob,
    carol,
  ])
  const store = async (where: string, name: string, contents: string[]) => {
    for (const content of contents)
      await pool.query(
        `INSERT INTO archive_blobs (project_id, hash, bytes) VALUES ($1, decode($2, 'hex'), 5) ON CONFLICT DO NOTHING`,
        [where, hex(content)],
      )
    const entries = contents.map((content) => ({ path: content, bytes: 5, sha256: hex(content) }))
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO archives (id, project_id, hash, manifest, files, bytes)
       VALUES (gen_random_uuid(), $1, decode($2, 'hex'), $3, 1, 5) RETURNING id`,
      [where, hex(name), { version: 1, entries }],
    )
    return rows[0]?.id
  }
  const use = (job: string | undefined, archive: string | undefined, reference: string) =>
    pool.query(
      `UPDATE jobs SET archive_id = $2, spec = spec || jsonb_build_object('archive', $3::text) WHERE id = $1`,
      [job, archive, reference],
    )
  const both = await store(project, 'both', ['both', 'common'])
  await use(first, both, hex('both'))
  await use(second, both, hex('both'))
  const snapshot = await store(project, 'snapshot', ['snapshot', 'common'])
  await pool.query(
    `INSERT INTO snapshots (id, project_id, name, version, archive_id, created_by_id)
     VALUES (gen_random_uuid(), $1, 'code', 1, $2, $3)`,
    [project, snapshot, bob],
  )
  await use(named, snapshot, 'code@1')
  await store(project, 'unused', ['unused'])
  await store(ownProject, 'unused', ['unused'])
  await migrate(url)

  const people = new Map([
    [ada, 'ada'],
    [bob, 'bob'],
    [carol, 'carol'],
    [lone, 'lone'],
  ])
  const names = new Map(['both', 'common', 'snapshot', 'unused'].map((name) => [hex(name), name]))
  const { rows: blobs } = await pool.query(
    `SELECT encode(hash, 'hex') AS hash, user_id, in_snapshot FROM archive_blobs`,
  )
  const found = blobs.map((row) => `${people.get(row.user_id)} ${names.get(row.hash)} ${row.in_snapshot}`)
  expect(found.toSorted()).toEqual([
    'ada both false',
    'ada common false',
    'bob both false',
    'bob common true',
    'bob snapshot true',
    'lone unused false',
  ])
  const { rows: archives } = await pool.query(
    `SELECT encode(a.hash, 'hex') AS hash, h.user_id FROM archives a LEFT JOIN archive_holders h ON h.archive_id = a.id`,
  )
  expect(archives.map((row) => `${people.get(row.user_id)} ${names.get(row.hash)}`).toSorted()).toEqual([
    'ada both',
    'bob both',
    'bob snapshot',
    'lone unused',
  ])
  const { rows: counted } = await pool.query(
    `SELECT user_id, sum(bytes)::int AS bytes FROM storage_changes WHERE kind = 'archives' GROUP BY 1`,
  )
  expect(Object.fromEntries(counted.map((row) => [people.get(row.user_id), row.bytes]))).toEqual({
    ada: 25,
    lone: 5,
  })
})

it('members of projects that ever had a join link may not push snapshots; others may', async () => {
  await migrateUntil('20261127021000_push_rights')
  const jobs = await Promise.all(['plain', 'linked', 'expired'].map((project) => makeOldJob({ project })))
  const member = (await pool.query('SELECT user_id FROM jobs WHERE id = $1', [await makeOldJob({})])).rows[0]
    .user_id
  const { rows: projects } = await pool.query(
    `SELECT p.id, p.slug, p.owner_id, u.handle FROM projects p JOIN users u ON u.id = p.owner_id JOIN jobs j ON j.project_id = p.id
      WHERE j.id = ANY ($1)`,
    [jobs],
  )
  for (const { id, slug, owner_id, handle } of projects) {
    await pool.query('INSERT INTO memberships (project_id, user_id) VALUES ($1, $2)', [id, member])
    if (slug === 'linked')
      await pool.query(
        `INSERT INTO join_links (id, project_id, hash, created_by_id, max_people, new_accounts, expires_at, revoked_at)
         VALUES (gen_random_uuid(), $1, '\\x00', $2, 5, false, now(), now())`,
        [id, owner_id],
      )
    // Links are deleted a month after they expired.
    if (slug === 'expired')
      await pool.query(
        `INSERT INTO audit_events (id, action, target) VALUES (gen_random_uuid(), 'join_link_created', $1)`,
        [`${handle}/${slug}`],
      )
  }
  await migrate(url)
  const { rows } = await pool.query(
    'SELECT p.slug, m.may_push FROM memberships m JOIN projects p ON p.id = m.project_id ORDER BY p.slug',
  )
  expect(rows).toEqual([
    { slug: 'expired', may_push: false },
    { slug: 'linked', may_push: false },
    { slug: 'plain', may_push: true },
  ])
})

/** Jobs of a project's run before runs belonged to users: their users in the order of the submissions. */
async function useRun(
  name: string,
  project: string,
  users: readonly string[],
  ownerId: string,
): Promise<string[]> {
  const jobs: string[] = []
  for (const userId of users) {
    const job = await makeOldJob({ userId, ownerId, project })
    jobs.push(job)
    await pool.query(
      `UPDATE jobs SET run_name = $2, status = 'completed', reason = 'finished', exit_code = 0, ended_at = now(),
              created_at = now() - make_interval(days => 10 - $3) WHERE id = $1`,
      [job, name, jobs.length],
    )
  }
  return jobs
}

it('runs belong to their first user; several users of one share it only in a project without a join link', async () => {
  await migrateUntil('20261127010000_runs_of_users')
  const people = await Promise.all(['ada', 'grace', 'alan', 'gone'].map((handle) => makeUser(handle, pool)))
  const [ada = '', grace = '', alan = '', gone = ''] = people
  const shared = await useRun('together', 'lab', [grace, ada, gone, grace], ada)
  const [single] = await useRun('single', 'lab', [alan], ada)
  const divided = await useRun('together', 'class', [alan, grace, alan], ada)
  // The last job of the class has not ended.
  await pool.query(
    `UPDATE jobs SET status = 'pending', reason = NULL, exit_code = NULL, ended_at = NULL WHERE id = $1`,
    [divided[1]],
  )
  const projectOf = async (slug: string): Promise<string> =>
    (await pool.query('SELECT id FROM projects WHERE slug = $1', [slug])).rows[0].id
  const [lab, classroom] = [await projectOf('lab'), await projectOf('class')]
  for (const user of [grace, alan])
    await pool.query('INSERT INTO memberships (project_id, user_id) SELECT id, $1 FROM projects', [user])
  // It was removed after it had expired.
  await pool.query(
    `INSERT INTO audit_events (id, action, target, detail) VALUES (gen_random_uuid(), 'join_link_created', 'ada/class', '{}')`,
  )
  const file = `INSERT INTO checkpoint_files (project_id, run_name, path, object, bytes, sha256, mtime_ns, executable, task_id)
                VALUES ($1, $2, 'state', gen_random_uuid(), $3, '', 0, false, gen_random_uuid())`
  await pool.query(file, [lab, 'together', 100])
  await pool.query(file, [classroom, 'together', 20])
  await pool.query(file, [lab, 'without a job', 3])
  await pool.query(`INSERT INTO run_directories (project_id, run_name, bytes) VALUES ($1, 'single', 4000)`, [
    lab,
  ])
  await migrate(url)

  const { rows: runs } = await pool.query(
    `SELECT p.slug, r.name, u.handle AS user, r.directory = r.name AS "keepsDirectory", r.directory = r.id::text AS "hasOwn",
            (SELECT array_agg(o.handle ORDER BY o.handle) FROM run_users s JOIN users o ON o.id = s.user_id WHERE s.run_id = r.id) AS others,
            (SELECT sum(bytes)::int FROM checkpoint_files WHERE run_id = r.id) AS bytes
       FROM runs r JOIN projects p ON p.id = r.project_id JOIN users u ON u.id = r.user_id ORDER BY 1, 2, 3`,
  )
  const old = { keepsDirectory: true, hasOwn: false, others: null, bytes: null }
  expect(runs).toEqual([
    { ...old, slug: 'class', name: 'together', user: 'alan', bytes: 20 },
    { ...old, slug: 'class', name: 'together', user: 'grace', keepsDirectory: false, hasOwn: true },
    { ...old, slug: 'lab', name: 'single', user: 'alan' },
    // A user who is no member any more does not share it.
    { ...old, slug: 'lab', name: 'together', user: 'grace', others: ['ada'], bytes: 100 },
    { ...old, slug: 'lab', name: 'without a job', user: 'ada', bytes: 3 },
  ])
  const { rows: jobs } = await pool.query<{ id: string; user: string }>(
    'SELECT j.id, u.handle AS user FROM jobs j JOIN runs r ON r.id = j.named_run_id JOIN users u ON u.id = r.user_id',
  )
  const userOf = new Map(jobs.map(({ id, user }) => [id, user]))
  expect(shared.map((id) => userOf.get(id))).toEqual(['grace', 'grace', 'grace', 'grace'])
  expect(divided.map((id) => userOf.get(id))).toEqual(['alan', 'grace', 'alan'])
  expect(userOf.get(single ?? '')).toBe('alan')

  const { rows: told } = await pool.query(
    `SELECT target, detail FROM audit_events WHERE action = 'run_stays_shared'`,
  )
  expect(told).toEqual([
    { target: 'ada/lab', detail: { run: 'together', owner: 'grace', users: 1, first_users: ['ada'] } },
  ])
  const { rows: counted } = await pool.query(
    `SELECT u.handle, p.slug, sum(c.bytes)::int AS bytes FROM storage_changes c JOIN users u ON u.id = c.user_id
       JOIN projects p ON p.id = c.project_id WHERE c.kind = 'checkpoints' GROUP BY 1, 2 ORDER BY 1, 2`,
  )
  expect(counted).toEqual([
    { handle: 'ada', slug: 'lab', bytes: 3 },
    { handle: 'alan', slug: 'class', bytes: 20 },
    { handle: 'alan', slug: 'lab', bytes: 4000 },
    { handle: 'grace', slug: 'lab', bytes: 100 },
  ])
})

it('lists that were null are empty, and rows that point to nothing are gone', async () => {
  await migrateUntil('20261130100000_lists_and_references')
  const user = await makeUser('ada', pool)
  const job = await makeOldJob({ userId: user })
  await pool.query(
    `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes, expires_at)
     VALUES (gen_random_uuid(), $1, 'none', '\\x01', 'a', NULL, now()), (gen_random_uuid(), $1, 'unknown', '\\x02', 'b', '{read,write}', now())`,
    [user],
  )
  await pool.query('INSERT INTO job_dependencies (job_id, depends_on) VALUES ($1, $1)', [job])
  const slurmJob = await pool.query(
    `INSERT INTO slurm_jobs (id, job_id, secret_hash) VALUES (gen_random_uuid(), $1, '\\x00') RETURNING id`,
    [job],
  )
  await pool.query(
    `INSERT INTO slurm_steps (slurm_job_id, restart, rank, node_id, cpu_milli, memory_mib) VALUES ($1, 0, 0, gen_random_uuid(), 1, 1)`,
    [slurmJob.rows[0].id],
  )
  await migrate(url)
  const { rows } = await pool.query('SELECT name, scopes FROM api_tokens ORDER BY name')
  expect(rows).toEqual([
    { name: 'none', scopes: [] },
    { name: 'unknown', scopes: ['read'] },
  ])
  for (const table of ['job_dependencies', 'slurm_steps'])
    expect((await pool.query(`SELECT 1 FROM ${table}`)).rowCount, table).toBe(0)
})

it('a group that waited for a job before groups had dependencies of their own still waits for it', async () => {
  await migrateUntil('20261203170000_depends_on_groups')
  const { userId, projectId } = await makeJobPlace({}, pool)
  const [job, waiting, started] = [uuidv7(), uuidv7(), uuidv7()]
  await pool.query(
    `INSERT INTO job_groups (id, user_id, project_id, competition_id, kind, spec, code, class_token, parallel, members, held, record_bytes, body_hash)
     SELECT g.id, $1, $2, 'c', 'sweep', $3, '', false, 1, 1, g.held, 0, '\\x00' FROM unnest($4::uuid[], $5::int[]) AS g (id, held)`,
    [userId, projectId, { depends_on: [job, 'slurm:17', job] }, [waiting, started], [1, 0]],
  )
  await migrate(url)
  const { rows } = await pool.query('SELECT group_id, depends_on, condition FROM group_dependencies')
  expect(rows).toEqual([{ group_id: waiting, depends_on: job, condition: 'ok' }])
})

it('a group whose members had started before groups had dependencies of their own waits for nothing after the upgrade', async () => {
  await migrateUntil('20261203170000_depends_on_groups')
  const { userId, projectId, environmentId } = await makeJobPlace({}, pool)
  const [other, group] = [uuidv7(), uuidv7()]
  await pool.query(
    `INSERT INTO job_groups (id, user_id, project_id, competition_id, kind, spec, code, class_token, parallel, members, held, record_bytes, body_hash)
     VALUES ($1, $2, $3, 'c', 'sweep', $4, '', false, 1, 2, 1, 0, '\\x00')`,
    [group, userId, projectId, { depends_on: [other] }],
  )
  await pool.query(
    `INSERT INTO jobs (id, user_id, project_id, environment_id, competition_id, spec, command, expected_time_s, time_limit_s, group_id)
     VALUES ($1, $2, $3, $4, 'c', '{}', 'true', 60, 120, $5)`,
    [uuidv7(), userId, projectId, environmentId, group],
  )
  await migrate(url)
  expect((await pool.query('SELECT 1 FROM group_dependencies')).rowCount).toBe(0)
})
