import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeJob, makeUser } from '@/lib/cluster/testing/rows'
import { testDatabase } from '@/lib/database/testing/test-database'
import { sweepShared } from './sweep-shared'

const db = testDatabase()
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-shared-'))
})
afterAll(() => rm(root, { recursive: true }))

it('deletes the checkpoints of expired runs, but no live runs and no unrelated directories', async () => {
  const userId = await makeUser()
  const ended = async (runName: string, daysAgo: number | null) => {
    const id = await makeJob({ userId })
    await db.pool.query('UPDATE jobs SET run_name = $2 WHERE id = $1', [id, runName])
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
