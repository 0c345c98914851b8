import { GpuqError } from '../contract/errors'
import { acquireLock } from '../database/locks'
import type { Transaction } from '../database/transaction'

/** The queue moves when a job starts: nobody can say when that is. */
const retryAfterS = 10

/**
 * Throws 429 when as many jobs wait as the queue API accepts. Uploaded ones count, and are not refused themselves: they
 * have limits of their own, and do not take this lock. Call it last before the job is inserted, because the lock is
 * everybody's.
 */
export async function requireQueueCapacity(tx: Transaction): Promise<void> {
  await acquireLock(tx, 'queueSize')
  const { rows } = await tx.query<{ most: number; waiting: number }>({
    name: 'room-in-queue',
    text: `SELECT max_queue_size AS most,
                  (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 'pending' LIMIT max_queue_size) counted)::int AS waiting
             FROM policies`,
  })
  const [row] = rows
  if (!row) throw new Error('the policy is gone: its one row is made by the migrations')
  if (row.waiting < row.most) return
  throw new GpuqError(
    'rate_limited',
    row.most === 0
      ? 'The queue takes no jobs now: an admin set its size to 0.'
      : `The queue is full: it takes no job where ${row.most} wait already. Try again when some have started.`,
    { headers: { 'retry-after': String(retryAfterS) } },
  )
}
