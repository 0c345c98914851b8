import { GpuqError } from '../contract/errors'
import { acquireLock } from '../database/locks'
import type { Transaction } from '../database/transaction'

/** An estimate: the time until a job starts is unknown. */
const retryAfterS = 10

/**
 * Throws 429 if the queue is full. Uploaded jobs count, but are not refused: they have other limits, and do not take
 * this lock. Call it immediately before the job is inserted, because all submissions share the lock.
 */
export async function requireQueueCapacity(tx: Transaction): Promise<void> {
  await acquireLock(tx, 'queueSize')
  const { rows } = await tx.query<{ limit: number; waiting: number }>({
    name: 'queue-capacity',
    text: `SELECT max_queue_size AS "limit",
                  (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 'pending' LIMIT max_queue_size) counted)::int AS waiting
             FROM policies`,
  })
  const [row] = rows
  if (!row) throw new Error('the policy is gone: its one row is made by the migrations')
  if (row.waiting < row.limit) return
  throw new GpuqError(
    'rate_limited',
    row.limit === 0
      ? 'The queue accepts no jobs now, because an admin set its size to 0.'
      : `The queue is full: ${row.limit} or more jobs wait. Try again when some have started.`,
    { headers: { 'retry-after': String(retryAfterS) } },
  )
}
