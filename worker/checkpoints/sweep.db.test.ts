import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordRunDirectory } from '@/lib/checkpoints/run-directories'
import { makeJob, makeUser } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { resolveRun } from '@/lib/jobs/submission/resolve-run'
import { sweepShared } from './sweep'

const db = testDatabase()
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-shared-'))
})
afterAll(() => rm(root, { recursive: true }))

/** As those of runs from before runs had ids. */
async function useNamesAsDirectories(): Promise<void> {
  await db.pool.query('UPDATE runs SET directory = name')
}

it('deletes the checkpoints of expired runs, but no live runs and no unrelated directories', async () => {
  const userId = await makeUser()
  const ended = async (runName: string, daysAgo: number | null) => {
    const id = await makeJob({ userId, spec: { run_name: runName } })
    if (daysAgo === null) return
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0,
              ended_at = now() - make_interval(days => $2) WHERE id = $1`,
      [id, daysAgo],
    )
  }
  await ended('old', 8)
  await ended('fresh', 6)
  await ended('again', 8)
  await ended('again', 6)
  await ended('live', 8)
  await ended('live', null)
  await useNamesAsDirectories()
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM projects')
  const project = join(root, rows[0]?.id ?? '')
  for (const name of ['old', 'fresh', 'again', 'live', 'nobodys', '.expired-live']) {
    await mkdir(join(project, name), { recursive: true })
    await writeFile(join(project, name, 'state'), 'x')
  }
  await rm(join(project, 'live'), { recursive: true })
  await mkdir(join(root, 'lost+found'))
  await sweepShared(root)
  expect(await readdir(project)).toContain('old')
  await db.pool.query('UPDATE projects SET retention_days = 7')
  await sweepShared(root)
  await sweepShared(root)
  expect((await readdir(project)).sort()).toEqual(['again', 'fresh', 'live', 'nobodys'])
  expect(await readdir(join(project, 'live'))).toEqual(['state'])
  await sweepShared(join(root, 'none'))
})

it('deletes the checkpoints that their owner deleted, unless a job of the run came later, and measures the rest', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-requested-'))
  const userId = await makeUser()
  for (const runName of ['unwanted', 'again', 'kept']) {
    const id = await makeJob({ userId, spec: { run_name: runName } })
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() WHERE id = $1`,
      [id],
    )
  }
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM projects WHERE owner_id = $1', [
    userId,
  ])
  const projectId = rows[0]?.id ?? ''
  const project = join(directory, projectId)
  // Its jobs are not known any more.
  await resolveRun(db.pool, { userId, projectId, restriction: null }, 'without a job')
  await useNamesAsDirectories()
  for (const name of ['unwanted', 'again', 'kept', 'without a job']) {
    await mkdir(join(project, name), { recursive: true })
    await writeFile(join(project, name, 'state'), 'x'.repeat(10_000))
    await recordRunDirectory({ projectId, directory: name }, 1, { running: true })
  }
  await db.pool.query(
    `UPDATE run_directories d SET delete_requested_at = now() FROM runs r WHERE r.id = d.run_id AND r.name <> 'kept'`,
  )
  await db.pool.query(
    `UPDATE jobs SET created_at = now() + interval '1 second' WHERE spec->>'run_name' = 'again'`,
  )
  await sweepShared(directory)
  expect((await readdir(project)).sort()).toEqual(['again', 'kept'])
  const { rows: measured } = await db.pool.query<{ name: string; bytes: number }>(
    'SELECT r.name, d.bytes FROM run_directories d JOIN runs r ON r.id = d.run_id WHERE r.project_id = $1 ORDER BY 1',
    [projectId],
  )
  expect(measured.map(({ name }) => name)).toEqual(['again', 'kept'])
  for (const { bytes } of measured) expect(bytes).toBeGreaterThan(10_000)
  await rm(directory, { recursive: true })
})
