import { parseSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import { database } from '../../database/client'
import { locks } from '../../database/locks'
import type { Transaction } from '../../database/transaction'
import { requestOf } from '../../jobs/config/resource-request'
import { couldFit, fits } from '../../scheduling/fits'
import { readNodeInTurn } from '../nodes/node-states'
import { startJob } from './place'

/** A line that no pass has confirmed for so long is not gone by: a leader makes one a second. */
const goodForSeconds = 5

/** Says whose turn is next, for {@link dispatchDirectly}: the leader, after each pass. */
export async function publishCandidates(jobIds: readonly string[]): Promise<void> {
  await database().pool.query({
    name: 'announce-next',
    text: `INSERT INTO next_in_line (job_ids) VALUES ($1) ON CONFLICT (id) DO UPDATE SET job_ids = $1, planned_at = now()
            WHERE next_in_line.job_ids <> $1 OR ($1 <> '{}' AND next_in_line.planned_at < now() - interval '1 second')`,
    values: [jobIds],
  })
}

/** Whose turn is next. */
interface DispatchCandidates {
  jobIds: readonly string[]
  /** Whether a job may go before one that cannot use the node. */
  backfill: boolean
}

/** Locks a node for the end of one of its tasks, before everything else, and reads whose turn is next. */
export async function lockForDispatch(
  tx: Transaction,
  nodeId: string,
): Promise<{ candidates: DispatchCandidates; failuresInRow: number }> {
  const { rows } = await tx.query<{ jobIds: string[] | null; backfill: boolean; failuresInRow: number }>({
    name: 'lock-for-hand-over',
    text: `SELECT failures_in_row AS "failuresInRow", (SELECT backfill FROM policies) AS backfill,
                  (SELECT job_ids FROM next_in_line WHERE planned_at > now() - make_interval(secs => $2)) AS "jobIds"
             FROM nodes WHERE id = $1 FOR NO KEY UPDATE`,
    values: [nodeId, goodForSeconds],
  })
  const [row] = rows
  return {
    candidates: { jobIds: row?.jobIds ?? [], backfill: row?.backfill ?? false },
    failuresInRow: row?.failuresInRow ?? 0,
  }
}

/**
 * Starts whose turn is next on what a task has just given back, in the transaction that frees it: no GPU waits for a pass
 * of the leader. Only the first job that still waits and could ever run on that node is looked at, by the same `fits()`
 * that plans; where it does not fit, the leader decides.
 *
 * @param line as {@link lockForDispatch} read it, the node's row being locked since; without jobs that must not follow.
 */
export async function dispatchDirectly(
  tx: Transaction,
  nodeId: string,
  { jobIds, backfill }: DispatchCandidates,
): Promise<void> {
  // One at a time, in the order of their turns.
  const node = jobIds.length > 0 ? await readNodeInTurn(tx, nodeId, locks.directDispatch) : null
  if (!node) return
  for (let left = jobIds; left.length > 0; ) {
    const job = await firstThatWaits(tx, left)
    if (!job) return
    const request = requestOf(job.spec, job.id)
    const fit = fits(request, node)
    if (fit.ok) {
      await startJob(tx, { jobId: job.id, attempt: job.attempt + 1 }, { rank: 0, ...fit.task })
      return
    }
    if (!backfill || couldFit(request, node)) return
    left = left.slice(left.indexOf(job.id) + 1)
  }
}

interface Next {
  id: string
  attempt: number
  spec: StoredSpec
}

/** Null also where somebody has it in hand: the leader, who places it, or its user. Waiting for them might never end. */
async function firstThatWaits(tx: Transaction, jobIds: readonly string[]): Promise<Next | null> {
  const { rows } = await tx.query<Unparsed<Next>>({
    name: 'next-in-line',
    text: `SELECT id, attempt, spec FROM jobs
            WHERE status = 'pending' AND id = (
                  SELECT jobs.id FROM unnest($1::uuid[]) WITH ORDINALITY AS line (id, turn) JOIN jobs USING (id)
                   WHERE status = 'pending' AND (not_before IS NULL OR not_before <= now()) ORDER BY turn LIMIT 1)
              FOR UPDATE SKIP LOCKED`,
    values: [jobIds],
  })
  return rows.map(parseSpec)[0] ?? null
}
