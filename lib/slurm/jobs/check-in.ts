import { createHash, timingSafeEqual } from 'node:crypto'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'

/** What the batch script of a Slurm job reports on one of its nodes. */
export interface StepReport {
  /** The row in `slurm_jobs`. */
  rowId: string
  secret: string
  slurmId: number
  /** How often Slurm started the job before. */
  restart: number
  rank: number
  /** Indexes of the GPUs on the node that Slurm gave it. */
  gpuIndexes: number[]
  cpuMilli: number
  memoryMib: number
  /** The cgroup of the Slurm job on the node; null: none. */
  cgroup: string | null
}

export type CheckIn = { ok: true; jobId: string } | { ok: false; why: string }

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/**
 * Checks who a step is and records what it holds. The first Slurm job to arrive for a row is its only one. Idempotent: a
 * step that connects again is accepted again.
 */
export async function checkIn(nodeId: string, report: StepReport): Promise<CheckIn> {
  const { pool } = database()
  const row = await findRow<{ jobId: string; secretHash: Buffer; ended: boolean }>(pool, {
    name: 'slurm-check-in',
    text: `SELECT job_id AS "jobId", secret_hash AS "secretHash", ended_at IS NOT NULL AS ended FROM slurm_jobs WHERE id = $1`,
    values: [report.rowId],
  })
  if (!row || !timingSafeEqual(row.secretHash, hashSecret(report.secret)))
    return { ok: false, why: 'gpuq does not know this Slurm job' }
  if (row.ended) return { ok: false, why: 'gpuq no longer wants this Slurm job' }
  const { rowCount } = await pool.query({
    name: 'slurm-record-step',
    text: `WITH mine AS (
             UPDATE slurm_jobs SET slurm_id = $2, submitted_at = coalesce(submitted_at, now())
              WHERE id = $1 AND ended_at IS NULL AND (slurm_id IS NULL OR slurm_id = $2) RETURNING id
           )
           INSERT INTO slurm_steps (slurm_job_id, restart, rank, node_id, gpu_indexes, cpu_milli, memory_mib, cgroup)
           SELECT id, $3, $4, $5, $6, $7, $8, $9 FROM mine
           ON CONFLICT (slurm_job_id, restart, rank) DO UPDATE SET node_id = excluded.node_id, gpu_indexes = excluded.gpu_indexes,
             cpu_milli = excluded.cpu_milli, memory_mib = excluded.memory_mib, cgroup = excluded.cgroup`,
    values: [
      report.rowId,
      report.slurmId,
      report.restart,
      report.rank,
      nodeId,
      report.gpuIndexes,
      report.cpuMilli,
      report.memoryMib,
      report.cgroup,
    ],
  })
  if (rowCount !== 1) return { ok: false, why: 'another Slurm job already runs this job' }
  return { ok: true, jobId: row.jobId }
}

/** Forgets a step that left before its job was placed, so that the job is not placed without it. */
export async function withdrawStep({ rowId, restart, rank }: StepReport): Promise<void> {
  await database().pool.query(
    `DELETE FROM slurm_steps p USING slurm_jobs s
      WHERE s.id = p.slurm_job_id AND p.slurm_job_id = $1 AND p.restart = $2 AND p.rank = $3
        AND s.attempt_restart IS DISTINCT FROM $2`,
    [rowId, restart, rank],
  )
}
