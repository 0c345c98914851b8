import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeJob } from '@/lib/cluster/testing/rows'
import { connect, type Database } from '@/lib/database/client'
import { testDatabase } from '@/lib/database/testing/test-database'
import { diskStore } from '@/lib/storage/disk'
import type { ObjectStore } from '@/lib/storage/store'
import { createBackup } from './create-backup'
import { listTables } from './dump-database'
import { emptyDirectory, requireEmptyDirectory, restoreBackup } from './restore-backup'
import { makeEmptyTarget, quietly } from './testing/empty-target'
import { type EveryState, fillEveryState } from './testing/every-state'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let root: string
let dataDir: string
let state: EveryState
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-backup-'))
  dataDir = join(root, 'data')
  await mkdir(dataDir)
  state = await fillEveryState(dataDir)
})
afterAll(() => rm(root, { recursive: true }))

const source = (store: ObjectStore = diskStore(dataDir)) => ({
  url: db.url,
  dataDir,
  bucket: null as string | null,
  store,
  checkpointsDirectory: join(dataDir, 'checkpoints'),
})

async function backUp(from = source()) {
  const file = join(root, `${randomBytes(6).toString('hex')}.tar.gz`)
  return { file, manifest: await createBackup(from, file, quietly) }
}

const emptyTarget = () => makeEmptyTarget(root)

/** All rows of all tables, as PostgreSQL prints them. */
async function contentOf({ pool }: Pick<Database, 'pool'>) {
  const client = await pool.connect()
  try {
    const content: Record<string, string[]> = {}
    for (const table of await listTables(client)) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT t::text AS row FROM "${table}" t ORDER BY 1`,
      )
      content[table] = rows.map(({ row }) => row)
    }
    return content
  } finally {
    client.release()
  }
}

/** Every file with its content, mode and owner. */
async function filesOf(directory: string) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const described = files.sort().map(async (path) => {
    const { mode, uid } = await stat(path)
    return [relative(directory, path), { content: await readFile(path, 'hex'), mode: mode & 0o777, uid }]
  })
  return Object.fromEntries(await Promise.all(described))
}

describe('a backup', () => {
  it('restores every row and every file into an empty directory and database', async () => {
    const { file, manifest } = await backUp()
    expect(manifest.problems).toEqual([])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const target = await emptyTarget()
    const { applied } = await restoreBackup(file, target, quietly)
    expect(applied).toEqual([])
    const restored = connect(target.url, 2)
    const before = await contentOf(db)
    // The others have rows only with a bucket, with shared projects, and while gpuq starts nodes.
    expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(18)
    const { allocations, ...rows } = await contentOf(restored)
    expect({ ...rows, allocations: before.allocations }).toEqual(before)
    // Held shares begin later, so that the time since the backup is not charged.
    const shares = `SELECT task_id, gpu_id, milli, released_at FROM allocations ORDER BY 1, 2`
    expect((await restored.pool.query(shares)).rows).toEqual((await db.pool.query(shares)).rows)
    expect(allocations).toHaveLength(before.allocations?.length ?? 0)
    expect(await filesOf(target.dataDir)).toEqual(await filesOf(dataDir))
    const constraints = `SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = current_schema()::regnamespace ORDER BY 1, 2`
    expect((await restored.pool.query(constraints)).rows).toEqual((await db.pool.query(constraints)).rows)
    // Numbers continue after those of the backup.
    const inserted = `INSERT INTO terminal_inputs (task_id, bytes) SELECT id, 'x' FROM tasks LIMIT 1 RETURNING id`
    const last = await db.pool.query('SELECT max(id) AS id FROM terminal_inputs')
    expect((await restored.pool.query(inserted)).rows[0].id).toBe(last.rows[0].id + 1)
    await restored.close()
  })

  it('is a snapshot: it has nothing of what comes after its begin', async () => {
    let added = ''
    const store = diskStore(dataDir)
    const { file, manifest } = await backUp(
      source({
        ...store,
        async open(key) {
          if (added === '') added = await makeJob()
          return store.open(key)
        },
      }),
    )
    expect(added).not.toBe('')
    const target = await emptyTarget()
    await restoreBackup(file, target, quietly)
    const restored = connect(target.url, 2)
    const { rows } = await restored.pool.query('SELECT id FROM jobs')
    expect(rows).toHaveLength(manifest.tables.jobs ?? 0)
    expect(rows.map(({ id }) => id)).not.toContain(added)
    await restored.close()
    await db.pool.query('DELETE FROM jobs WHERE id = $1', [added])
  })

  it('is a tar file that sha256sum can check', async () => {
    const { file } = await backUp()
    const unpacked = await mkdtemp(join(root, 'tar-'))
    execFileSync('tar', ['-xzf', file, '-C', unpacked])
    const checked = execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: unpacked })
    expect(checked.toString()).toBe('')
  })

  it('says which files gpuq deleted meanwhile, which are lost, and which are damaged', async () => {
    const { rows } = await db.pool.query<{ id: string; path: string }>('SELECT id, path FROM artifacts')
    const keyOf = (path: string) =>
      `artifacts/${state.jobs.completed}/1/0/${rows.find((row) => row.path === path)?.id}`
    const [deleted, lost] = [keyOf('empty'), keyOf('plots/loss.txt')]
    const copy = await mkdtemp(join(root, 'damaged-'))
    execFileSync('cp', ['-a', `${dataDir}/.`, copy])
    const store = diskStore(copy)
    const results = await readdir(join(copy, 'results'))
    await appendFile(join(copy, 'results', results[0] ?? ''), 'x')
    await store.remove(lost)
    const { rows: kept } = await db.pool.query(`SELECT * FROM artifacts WHERE path = 'empty'`)
    const faulty: ObjectStore = {
      ...store,
      async open(key) {
        if (key === deleted) {
          await db.pool.query(`DELETE FROM artifacts WHERE path = 'empty'`)
          await store.remove(key)
        }
        return store.open(key)
      },
    }
    const { file, manifest } = await backUp({ ...source(faulty), dataDir: copy })
    expect(Object.fromEntries(manifest.problems.map(({ path, problem }) => [path, problem]))).toEqual({
      [deleted]: 'was deleted while the backup ran',
      [lost]: 'is missing in the storage',
      [`results/${results[0]}`]: 'is damaged in the storage',
    })
    await restoreBackup(file, await emptyTarget(), quietly)
    await db.pool.query('INSERT INTO artifacts SELECT * FROM json_populate_record(NULL::artifacts, $1)', [
      JSON.stringify(kept[0]),
    ])
  })

  it('is written completely or not at all, and never over another file', async () => {
    const file = join(root, 'kept.tar.gz')
    await writeFile(file, 'an older backup')
    await expect(createBackup(source(), file, quietly)).rejects.toThrow('already exists')
    expect(await readFile(file, 'utf8')).toBe('an older backup')
    const store = { ...diskStore(dataDir), open: () => Promise.reject(new Error('the disk is broken')) }
    const before = await readdir(root)
    await expect(backUp(source(store))).rejects.toThrow('the disk is broken')
    const stopping = new AbortController()
    stopping.abort(new Error('stopped'))
    const other = join(root, 'stopped.tar.gz')
    await expect(createBackup(source(), other, { ...quietly, signal: stopping.signal })).rejects.toThrow(
      'stopped',
    )
    expect(await readdir(root)).toEqual(before)
  })

  it('lists the files of a bucket, and the restore names those that the bucket has lost', async () => {
    const { file, manifest } = await backUp({ ...source(), bucket: 's3://lab/gpuq' })
    const { rows } = await db.pool.query('SELECT name FROM result_files WHERE stored_at IS NOT NULL')
    expect(manifest.files.count).toBeGreaterThan(rows.length)
    const target = { ...(await emptyTarget()), bucket: 's3://lab/gpuq' }
    const lost = `results/${rows[0].name}`
    const bucket = diskStore(dataDir)
    const store = { ...bucket, has: async (key: string) => key !== lost && (await bucket.has(key)) }
    const restored = await restoreBackup(file, { ...target, store }, quietly)
    expect(restored.missing).toEqual([lost])
    expect(await readdir(target.dataDir)).not.toContain('results')
    // Without GPUQ_STORAGE nothing can be compared, and the person is told to set it.
    await restoreBackup(file, await emptyTarget(), quietly)
  })
})

describe('a restore', () => {
  it('refuses a directory or a database that is not empty', async () => {
    await expect(requireEmptyDirectory(dataDir)).rejects.toThrow('is not empty')
    await requireEmptyDirectory(join(root, 'none'))
    const { file } = await backUp()
    const target = await emptyTarget()
    await expect(restoreBackup(file, { ...target, url: db.url }, quietly)).rejects.toThrow(
      'The database is not empty',
    )
  })

  it('leaves nothing of a damaged or incomplete backup in the database, so that another try works', async () => {
    const { file } = await backUp()
    const { size } = await stat(file)
    const content = await readFile(file)
    content[Math.floor(size / 2)] = (content[Math.floor(size / 2)] ?? 0) ^ 0xff
    const damaged = join(root, 'damaged.tar.gz')
    await writeFile(damaged, content)
    const cut = join(root, 'cut.tar.gz')
    await writeFile(cut, await readFile(file))
    await truncate(cut, size - 200)
    const other = join(root, 'other.tar.gz')
    execFileSync('tar', ['-czf', other, '-C', root, 'kept.tar.gz'])
    for (const [bad, message] of [
      [damaged, /damaged or incomplete|checksum/],
      [cut, /damaged or incomplete/],
      [other, 'not a backup of gpuq'],
      [join(root, 'none.tar.gz'), 'cannot be read (ENOENT)'],
    ] as const) {
      const target = await emptyTarget()
      await expect(restoreBackup(bad, target, quietly), bad).rejects.toThrow(message)
      await mkdir(target.dataDir, { recursive: true })
      await emptyDirectory(target.dataDir)
      expect(await readdir(target.dataDir)).toEqual([])
      const rows = connect(target.url, 1)
      const { rows: left } = await rows.pool.query(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
         UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace
         UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
      )
      await rows.close()
      expect(left, bad).toEqual([])
      // The second try, with the right file, works.
      if (bad === cut) await restoreBackup(file, target, quietly)
    }
  })

  it.each([
    ['a row that is no JSON', '{"id":', '{"id";'],
    ['a value that its column refuses', '_at":"20', '_at":"2x'],
    ['a column that is missing', '"owner_id":', '"owner_ie":'],
    ['a sequence that does not exist', '"name":"', '"name":"x'],
    ['a manifest without tables', '"tables":', '"tablez":'],
    ['another byte in the name of a file', 'files/', 'filez/'],
    ['another byte in a file', 'epoch 1', 'epoch 2'],
  ])('says that the backup is damaged: %s', async (_, before, after) => {
    const { file } = await backUp()
    const content = gunzipSync(await readFile(file))
    const at = content.indexOf(before)
    expect(at).toBeGreaterThan(0)
    content.write(after, at)
    await writeFile(file, gzipSync(content))
    await expect(restoreBackup(file, await emptyTarget(), quietly)).rejects.toThrow(/The backup is damaged/)
  })

  it('a restore that fails keeps what a database without tables had', async () => {
    const { file, size } = await backUp().then(async (made) => ({
      ...made,
      size: (await stat(made.file)).size,
    }))
    await truncate(file, size - 200)
    const target = await emptyTarget()
    const rows = connect(target.url, 1)
    await rows.pool.query(`CREATE TYPE colour AS ENUM ('red')`)
    await rows.pool.query(`CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'`)
    await expect(restoreBackup(file, target, quietly)).rejects.toThrow(/damaged or incomplete/)
    expect((await rows.pool.query(`SELECT 'red'::colour, one()`)).rowCount).toBe(1)
    await rows.close()
  })

  it('refuses a backup of a newer version', async () => {
    const name = '29991231000000_from_the_future'
    await db.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', $1, now())`,
      [name],
    )
    const { file } = await backUp()
    await db.pool.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [name])
    await expect(restoreBackup(file, await emptyTarget(), quietly)).rejects.toThrow('newer than this one')
  })
})
