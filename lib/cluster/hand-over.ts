import { database } from '../database/client'
import type { Transaction } from '../database/transaction'
import { requestOf, storedSpecSchema } from '../jobs/stored-spec'
import { fits } from '../scheduling/fits'
import { readNodeInTurn } from './node-states'
import { startJob } from './place'

/** Any constant of its own. */
const lineLock = 4_711_470_006
/** A line that no pass has confirmed for so long is not gone by: a leader makes one a second. */
const goodForSeconds = 5

/** Says whose turn is next, for {@link handOver}: the leader, after each pass. */
export async function announceNext(jobIds: readonly string[]): Promise<void> {
  await database().pool.query({
    name: 'announce-next',
    text: `INSERT INTO next_in_line (job_ids) VALUES ($1) ON CONFLICT (id) DO UPDATE SET job_ids = $1, planned_at = now()
            WHERE next_in_line.job_ids <> $1 OR ($1 <> '{}' AND next_in_line.planned_at < now() - interval '1 second')`,
    values: [jobIds],
  })
}

/** Locks a node for the end of one of its tasks, before everything else, and reads whose turn is next. */
export async function lockForHandOver(
  tx: Transaction,
  nodeId: string,
): Promise<{ next: string[]; failuresInRow: number }> {
  const { rows } = await tx.query<{ next: string[] | null; failuresInRow: number }>({
    name: 'lock-for-hand-over',
    text: `SELECT failures_in_row AS "failuresInRow",
                  (SELECT job_ids FROM next_in_line, policies
                    WHERE running AND planned_at > now() - make_interval(secs => $2)) AS next
             FROM nodes WHERE id = $1 FOR NO KEY UPDATE`,
    values: [nodeId, goodForSeconds],
  })
  return { next: rows[0]?.next ?? [], failuresInRow: rows[0]?.failuresInRow ?? 0 }
}

/**
 * Starts whose turn is next on what a task has just given back, in the transaction that frees it: no GPU waits for a pass
 * of the leader. Only the first job that still waits is looked at, by the same `fits()` that plans; where it
 * does not fit, the leader decides.
 *
 * @param next as {@link lockForHandOver} read it, the node's row being locked since; without jobs that must not follow.
 */
export async function handOver(tx: Transaction, nodeId: string, next: readonly string[]): Promise<void> {
  // One at a time, in the order of their turns.
  const node = next.length > 0 ? await readNodeInTurn(tx, nodeId, lineLock) : null
  if (!node) return
  const job = await firstThatWaits(tx, next)
  if (!job) return
  const fit = fits(requestOf(storedSpecSchema.parse(job.spec), job.id), node)
  if (!fit.ok) return
  await startJob(tx, { jobId: job.id, attempt: job.attempt + 1 }, { rank: 0, ...fit.task })
}

interface Next {
  id: string
  attempt: number
  spec: unknown
}

/** Null also where somebody has it in hand: the leader, who places it, or its user. Waiting for them might never end. */
async function firstThatWaits(tx: Transaction, next: readonly string[]): Promise<Next | null> {
  const { rows } = await tx.query<Next>({
    name: 'next-in-line',
    text: `SELECT id, attempt, spec FROM jobs
            WHERE status = 'pending' AND id = (
                  SELECT jobs.id FROM unnest($1::uuid[]) WITH ORDINALITY AS line (id, turn) JOIN jobs USING (id)
                   WHERE status = 'pending' AND (not_before IS NULL OR not_before <= now()) ORDER BY turn LIMIT 1)
              FOR UPDATE SKIP LOCKED`,
    values: [next],
  })
  return rows[0] ?? null
}
