import { GpuqError } from '../contract/errors'
import { oneRow, type Transaction } from '../database/transaction'
import { env } from '../env'

const GiB = 1024 ** 3

/**
 * Returns the bytes that the owner of this project may still upload; at least 0. The quota is per owner, because
 * projects are free to create.
 */
export async function remainingQuota(tx: Transaction, projectId: string): Promise<number> {
  const { bytes } = await oneRow<{ bytes: number }>(tx, {
    name: 'bytes-of-owner',
    text: `SELECT coalesce(sum(b.bytes), 0)::int8 AS bytes FROM projects p JOIN projects own ON own.owner_id = p.owner_id
             JOIN archive_blobs b ON b.project_id = own.id WHERE p.id = $1`,
    values: [projectId],
  })
  return Math.max(0, env().GPUQ_MAX_ARCHIVES_GIB * GiB - bytes)
}

export function quotaExceeded(): GpuqError {
  return new GpuqError(
    'payload_too_large',
    `All directories of this project's owner may have ${env().GPUQ_MAX_ARCHIVES_GIB} GiB in total. Upload less, or ask an admin to raise GPUQ_MAX_ARCHIVES_GIB.`,
  )
}
