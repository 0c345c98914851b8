import { createHash } from 'node:crypto'
import { beforeEach, expect, it, vi } from 'vitest'
import { makePerson } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { parseConfig } from '../../contract/config/config'
import { testDatabase } from '../../database/testing/test-database'
import { deleteJobFiles } from '../lifecycle/delete-files'
import { readSource } from '../read/read'
import { accept } from '../submission/accept'

const db = testDatabase()

let person: Awaited<ReturnType<typeof makePerson>>
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, programs CASCADE')
  // The first job makes the environment.
  await makeJob({ code: 'the first' })
  await db.pool.query('UPDATE policies SET max_queue_size = 1000')
  person = await makePerson('admin')
  person.actor = { ...person.actor, limits: { submissionsPerMinute: null, maxActiveJobs: null } }
})

const hashOf = (code: string) => createHash('sha256').update(code).digest()

async function submit(code: string, name = 'job'): Promise<string> {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 10\nname: ${name}`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const submission = { code: Buffer.from(code), runId: null, config: parsed.config, idempotencyKey: null }
  return (await accept(person.actor, { ...submission, bodyHash: Buffer.alloc(32) })).jobId
}

/** Ends a job as its worker and the upload of its result would. */
async function end(job: string): Promise<void> {
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now(), result_stored = true WHERE id = $1`,
    [job],
  )
}

async function isStored(code: string): Promise<boolean> {
  const { rowCount } = await db.pool.query('SELECT 1 FROM programs WHERE hash = $1', [hashOf(code)])
  return rowCount === 1
}

async function sourcesOf(userId: string): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(
    `SELECT coalesce(sum(bytes), 0)::int AS bytes FROM storage_changes WHERE kind = 'sources' AND user_id = $1`,
    [userId],
  )
  return rows[0]?.bytes ?? Number.NaN
}

it('equal programs that are submitted at the same time: each is stored once, and counts for each job', async () => {
  const codes = Array.from({ length: 60 }, (_, n) => `print(${n % 3})`)
  const jobs = await Promise.all(codes.map((code) => submit(code)))
  const { rows } = await db.pool.query('SELECT 1 FROM programs WHERE hash = ANY ($1)', [codes.map(hashOf)])
  expect(rows).toHaveLength(3)
  for (const [n, job] of jobs.entries()) expect((await readSource(person.actor, job)).code).toBe(codes[n])
  expect(await sourcesOf(person.actor.userId)).toBe(codes.join('').length)
})

it('files that are deleted on request: the program goes with its last job, and no longer counts', async () => {
  const [first, second] = [await submit('print(1)'), await submit('print(1)')]
  for (const job of [first, second]) await end(job)
  await deleteJobFiles(person.actor, first)
  expect((await readSource(person.actor, first)).code).toBe('')
  expect((await readSource(person.actor, second)).code).toBe('print(1)')
  expect(await sourcesOf(person.actor.userId)).toBe('print(1)'.length)
  await deleteJobFiles(person.actor, second)
  expect(await isStored('print(1)')).toBe(false)
  expect(await sourcesOf(person.actor.userId)).toBe(0)
})

it('the last two jobs of a program lose their files at the same time: the program goes too', async () => {
  for (let round = 0; round < 10; round++) {
    const jobs = await Promise.all([submit('print(2)'), submit('print(2)'), submit('print(2)')])
    for (const job of jobs) await end(job)
    await Promise.all(jobs.map((job) => deleteJobFiles(person.actor, job)))
    expect(await isStored('print(2)')).toBe(false)
  }
})

it('a submission whose program is deleted after it was found: the program is stored again', async () => {
  const code = 'print(3)'
  const old = await submit(code)
  const remover = await db.pool.connect()
  try {
    // As a deletion of files does.
    await remover.query('BEGIN')
    await remover.query('UPDATE jobs SET program_hash = NULL WHERE id = $1', [old])
    await remover.query('SELECT 1 FROM programs WHERE hash = $1 FOR UPDATE', [hashOf(code)])
    const submitted = submit(code)
    await vi.waitFor(async () => {
      const { rowCount } = await db.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBeGreaterThan(0)
    }, 60_000)
    await remover.query('DELETE FROM programs WHERE hash = $1', [hashOf(code)])
    await remover.query('COMMIT')
    expect((await readSource(person.actor, await submitted)).code).toBe(code)
  } finally {
    remover.release(true)
  }
})

it('submissions and deletions of one program at the same time: every job keeps its program', async () => {
  const code = 'print(4)'
  for (let round = 0; round < 10; round++) {
    const old = await Promise.all([submit(code), submit(code)])
    for (const job of old) await end(job)
    const [jobs] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => submit(code))),
      ...old.map((job) => deleteJobFiles(person.actor, job)),
    ])
    for (const job of jobs) expect((await readSource(person.actor, job)).code).toBe(code)
    for (const job of jobs) await end(job)
    for (const job of jobs) await deleteJobFiles(person.actor, job)
    expect(await isStored(code)).toBe(false)
  }
})
