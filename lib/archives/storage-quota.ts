import { GpuqError } from '../contract/errors'
import type { Transaction } from '../database/transaction'
import { env } from '../env'

const GiB = 1024 ** 3

/**
 * What the projects of this one's owner may still take in, in bytes; never less than nothing. By owner: projects cost
 * nothing to make.
 */
export async function remainingQuota(tx: Transaction, projectId: string): Promise<number> {
  const { rows } = await tx.query<{ bytes: number }>({
    name: 'bytes-of-owner',
    text: `SELECT coalesce(sum(b.bytes), 0)::int8 AS bytes FROM projects p JOIN projects own ON own.owner_id = p.owner_id
             JOIN archive_blobs b ON b.project_id = own.id WHERE p.id = $1`,
    values: [projectId],
  })
  return Math.max(0, env().GPUQ_MAX_ARCHIVES_GIB * GiB - (rows[0]?.bytes ?? 0))
}

/** @throws 413 where it is too little. */
export async function requireQuota(tx: Transaction, projectId: string, bytes: number): Promise<void> {
  if (bytes > (await remainingQuota(tx, projectId))) throw quotaExceeded()
}

export function quotaExceeded(): GpuqError {
  return new GpuqError(
    'payload_too_large',
    `The directories shipped to this owner's projects may have ${env().GPUQ_MAX_ARCHIVES_GIB} GiB in all. Ship less, or ask an admin for GPUQ_MAX_ARCHIVES_GIB.`,
  )
}
