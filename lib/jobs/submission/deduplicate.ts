import type { Transaction } from '../../database/transaction'

/**
 * The user's job of the same content that is alive or has completed; null where there is none, or it failed or was
 * cancelled. Call it under the lock on the user's row: else two submissions at once find nothing and make two jobs.
 * The submission's idempotency key is that job's from then on.
 */
export async function findSameContent(
  tx: Transaction,
  { callerId, userId }: { callerId: string; userId: string },
  hash: Buffer,
  { idempotencyKey, bodyHash }: { idempotencyKey: string | null; bodyHash: Buffer },
): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'find-same-content',
    text: `SELECT id FROM jobs
            WHERE user_id = $1 AND content_hash = $2
              AND (status = 'completed' OR (status IN ('pending', 'scheduled', 'running') AND cancel_requested_at IS NULL))
            ORDER BY status = 'completed', created_at DESC, id DESC LIMIT 1`,
    values: [userId, hash],
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
