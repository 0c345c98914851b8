import { type GpuqError, rateLimited } from '../../contract/errors'
import { inactiveWaits } from '../../contract/reasons'
import { acquireLock } from '../../database/locks'
import { oneRow, sendTogether, type Transaction } from '../../database/transaction'

/** An estimate: the time until a job starts is unknown. */
const retryAfterS = 10

interface QueueCount {
  /** Maximum number of waiting jobs in the policy. */
  limit: number
  /** Without the jobs that cannot start by themselves. */
  waiting: number
  /** Maximum number of concurrent transactions. */
  connections: number
}

/**
 * Checks that the queue has capacity for one more job. Call it immediately before the job is inserted, because all
 * submissions use the lock.
 *
 * Far below the limit, submissions share the lock and do not wait for each other: each database connection inserts at
 * most one job under the shared lock, and all of these jobs fit. Near the limit, each submission holds the lock alone.
 * @throws 429 if the queue is full.
 */
export async function requireQueueCapacity(tx: Transaction): Promise<void> {
  const [, , { limit, waiting, connections }] = await sendTogether([
    tx.query('SAVEPOINT queue_capacity'),
    acquireLock(tx, 'queueSize', 'shared'),
    countWaiting(tx),
  ])
  if (waiting + connections <= limit) return
  // Releases the shared lock: two transactions that both keep it would wait for each other.
  await tx.query('ROLLBACK TO SAVEPOINT queue_capacity')
  const { places, error } = await lockQueue(tx)
  if (places < 1) throw error
}

/**
 * For several jobs of one transaction: returns the number of free places in the queue, and the error for a job without one.
 * The transaction holds the lock alone, because it inserts more than one job. Call it immediately before the jobs are
 * inserted.
 */
export async function lockQueue(tx: Transaction): Promise<{ places: number; error: GpuqError }> {
  const [, { limit, waiting }] = await sendTogether([acquireLock(tx, 'queueSize'), countWaiting(tx)])
  const message =
    limit === 0
      ? 'The queue accepts no jobs now, because an admin set max_queue_size in the policy to 0.'
      : `The queue is full: ${limit} or more jobs wait, which is the limit max_queue_size of the policy. Try again when some have started. An admin can raise the limit.`
  return { places: Math.max(0, limit - waiting), error: rateLimited(message, retryAfterS) }
}

function countWaiting(tx: Transaction): Promise<QueueCount> {
  return oneRow<QueueCount>(tx, {
    name: 'queue-capacity',
    text: `SELECT max_queue_size AS "limit", current_setting('max_connections')::int AS connections,
                  (SELECT coalesce(sum(jobs), 0) FROM active_job_changes
                    WHERE status = 'pending' AND (reason = ANY ($1)) IS NOT TRUE)::int AS waiting
             FROM policies`,
    values: [inactiveWaits],
  })
}
