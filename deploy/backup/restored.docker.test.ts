import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { isFinal, type JobStatus, jobTransitions } from '@/lib/contract/status'
import { removeAllMemoryDirectories } from '@/worker/files/memory-directory'
import { it } from '@/worker/testing/lab-test'
import { restoreBackup } from './restore-backup'
import { makeEmptyTarget, quietly } from './testing/empty-target'
import type { EveryState } from './testing/every-state'

const fixtures = join(import.meta.dirname, 'testing')

describe('a restored backup', () => {
  it('runs: its running jobs are retried, its waiting jobs start, and all end in a final status', async ({
    openLab,
    afterwards,
  }) => {
    const root = await mkdtemp(join(tmpdir(), 'gpuq-restored-'))
    afterwards(async () => {
      await removeAllMemoryDirectories(root)
      await rm(root, { recursive: true, force: true })
    })
    const state: EveryState = JSON.parse(await readFile(join(fixtures, 'gpuq-0.2.0.json'), 'utf8'))
    const target = await makeEmptyTarget(root)
    await restoreBackup(join(fixtures, 'gpuq-0.2.0.tar.gz'), target, quietly)
    const lab = await openLab({ url: target.url })
    const { pool } = lab.database
    // Its start is tomorrow. And small nodes of tests have less memory than eight default shares.
    await pool.query('UPDATE jobs SET not_before = NULL')
    await pool.query(`UPDATE jobs SET spec = spec || '{"cpu": 0.25, "memory_gb": 0.25}'`)
    // The same node: its worker finds tasks of the old installation, and none of their containers.
    await lab.expireLease(state.node)
    await lab.startWorker({ node: state.node, gpus: 8, dataDir: target.dataDir })
    // The worker starts what was only placed. What had a container is tried again, because the container is gone.
    const attempts = { scheduled: [1, 2], starting: [1, 2], running: [2], retried: [3] }
    const all = { ...attempts, submitted: [1], waiting: [1], held: [1] }
    for (const [kind, expected] of Object.entries(all)) {
      const job = await lab.jobs.untilFinal(state.jobs[kind as keyof typeof all])
      expect(job, kind).toMatchObject({ status: 'completed', reason: 'finished' })
      expect(expected, kind).toContain(job.attempt)
    }
    await lab.jobs.until('every result is stored', async () => {
      const { rows } = await pool.query('SELECT 1 FROM jobs WHERE NOT result_stored')
      return rows.length === 0
    })
    const { rows } = await pool.query<{ before: JobStatus; after: JobStatus; job_id: string }>(
      'SELECT job_id, before, after FROM status_history ORDER BY n',
    )
    for (const { job_id, before, after } of rows) expect(jobTransitions[before], job_id).toContain(after)
    // Jobs that had ended keep their verdict.
    const ended = ['completed', 'failed', 'cancelled', 'withdrawn', 'unstored'] as const
    for (const kind of ended) expect(rows.filter(({ job_id }) => job_id === state.jobs[kind])).toEqual([])
    const statuses = await pool.query<{ status: JobStatus }>('SELECT status FROM jobs')
    expect(statuses.rows.every(({ status }) => isFinal(status))).toBe(true)
  })
})
