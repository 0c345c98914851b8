import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findStateWrites } from './testing/state-writes'

const notReleased = /\.test\.tsx?$|\/testing\/|\/generated\/|^lib\/jobs\/state\//

function readSources(): Map<string, string> {
  const files = ['lib', 'worker', 'app', 'cli'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  const sources = files.filter((file) => /\.(tsx?|m?js|sql)$/.test(file) && !notReleased.test(file))
  return new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]))
}

it('only lib/jobs/state writes where a job is and why', () => {
  const sources = readSources()
  expect(sources.size).toBeGreaterThan(500)
  const writes = [...sources].flatMap(([file, text]) =>
    findStateWrites(text).map((write) => `${file}: ${write}`),
  )
  expect(writes).toEqual([])
})

it('a statement of lib/jobs/state is found if it is in another file', () => {
  for (const verb of ['delete', 'explain', 'finish', 'hold', 'pause', 'place', 'requeue', 'start', 'submit'])
    expect(findStateWrites(readFileSync(`lib/jobs/state/${verb}.ts`, 'utf8')), verb).not.toEqual([])
})

describe('the search for writes of a status', () => {
  it.each([
    "UPDATE jobs SET status = 'failed' WHERE id = $1",
    'update\n  "jobs"\n  set\n  priority = 1,\n  "status" = $2',
    '`WITH a AS (\n  UPDATE jobs AS j\n     SET priority = coalesce((SELECT max(p) FROM x WHERE y), 1), held = true\n   WHERE id = $1)`',
    "'UPDATE jobs ' +\n  'SET reason = NULL'",
    'UPDATE jobs -- of the user\n SET /* all */ ended_at = now()',
    'UPDATE ONLY public.jobs SET (priority, exit_code) = (1, 2)',
    `UPDATE jobs SET \${columns} WHERE id = $1`,
    `UPDATE jobs SET priority = 1, \${more ? 'x' : 'y'}`,
    `UPDATE \${table} SET reason_detail = $1`,
    'INSERT INTO jobs (id) VALUES ($1)',
    'INSERT INTO "jobs" SELECT 1',
    'DELETE FROM jobs WHERE id = $1',
    'MERGE INTO jobs USING x ON true WHEN MATCHED THEN UPDATE SET status = 1',
    "prisma.job.update({ where: { id }, data: { status: 'failed' } })",
    'tx\n  .job\n  .updateMany({ data: { priority: 1, notBefore: null } })',
    'tx.job.update({ where, data })',
    'tx.job.update({ where, data: { ...rest } })',
    'tx.job.create({ data: { id } })',
    'tx.job.deleteMany({ where: { id } })',
    "BEGIN NEW.status := 'failed'; RETURN NEW; END",
  ])('finds %j', (text) => expect(findStateWrites(text)).toHaveLength(1))

  it.each([
    "UPDATE jobs SET priority = $2 WHERE status = 'pending'",
    "UPDATE jobs SET note = CASE WHEN reason = 'held' THEN $1 END FROM x WHERE jobs.id = x.id",
    "UPDATE tasks SET status = 'lost'; SELECT reason FROM jobs",
    'UPDATE job_uploads SET attempts = 1, status = 2',
    'UPDATE slurm_jobs SET attempt = $2',
    'INSERT INTO job_dependencies SELECT 1',
    'DELETE FROM jobs_done',
    `UPDATE \${table} SET paused_at = now() WHERE status = 1`,
    "tx.job.update({ where: { status: 'pending' }, data: { priority: 1 } })",
    "tx.job.findMany({ where: { status: 'pending' } })",
    'IF NEW.status = OLD.status THEN NEW.search_words := words; END IF',
    'client.jobs.delete(id)',
  ])('accepts %j', (text) => expect(findStateWrites(text)).toEqual([]))
})
