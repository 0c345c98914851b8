import { isReached, reachOf } from '../../access/restriction'
import type { Transaction } from '../../database/transaction'
import type { JobOwner } from './job-owner'

/**
 * Finds the user's active or completed job with the same content, and assigns the submission's idempotency key to it. A
 * restricted token finds only those that it reaches.
 * Call it under the lock on the user's row: without it, two concurrent submissions would find nothing and create two
 * jobs.
 */
export async function findSameContent(
  tx: Transaction,
  { callerId, userId, restriction }: JobOwner,
  hash: Buffer,
  { idempotencyKey, bodyHash }: { idempotencyKey: string | null; bodyHash: Buffer },
): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'find-same-content',
    text: `SELECT id FROM jobs
            WHERE user_id = $1 AND content_hash = $2 AND ${isReached('jobs', '$3', '$4')}
              AND (status = 'completed' OR (status IN ('pending', 'scheduled', 'running') AND cancel_requested_at IS NULL))
            ORDER BY status = 'completed', created_at DESC, id DESC LIMIT 1`,
    values: [userId, hash, ...reachOf(restriction)],
  })
  const jobId = rows[0]?.id ?? null
  if (jobId !== null && idempotencyKey !== null) {
    await tx.query('INSERT INTO idempotency_keys (user_id, key, body_hash, job_id) VALUES ($1, $2, $3, $4)', [
      callerId,
      idempotencyKey,
      bodyHash,
      jobId,
    ])
  }
  return jobId
}
