import { parseSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import { database } from '../../database/client'
import { locks } from '../../database/locks'
import type { Transaction } from '../../database/transaction'
import { requestOf } from '../../jobs/config/resource-request'
import { hasBudgetLeft } from '../../jobs/state/place'
import { couldFit, fits } from '../../scheduling/fits'
import { readLockedNode } from '../nodes/node-states'
import { exceedsGpuLimits, type GpuLimits, gpuLimitColumns } from './gpu-limits'
import { startJob } from './place'

/** Candidates older than this are ignored. The leader publishes them every second. */
const candidatesValidSeconds = 5

/** Publishes the jobs that {@link dispatchDirectly} may start next. Called by the leader after each pass. */
export async function publishCandidates(jobIds: readonly string[]): Promise<void> {
  await database().pool.query({
    name: 'publish-candidates',
    text: `INSERT INTO next_in_line (job_ids) VALUES ($1) ON CONFLICT (id) DO UPDATE SET job_ids = $1, planned_at = now()
            WHERE next_in_line.job_ids <> $1 OR ($1 <> '{}' AND next_in_line.planned_at < now() - interval '1 second')`,
    values: [jobIds],
  })
}

interface DispatchCandidates {
  jobIds: readonly string[]
  /** Whether a job may pass one that cannot use the node. */
  backfill: boolean
}

/**
 * Locks a node before one of its tasks ends, and reads the dispatch candidates, and whether the node is suspect because
 * of failures or probes. Must be the first lock of the transaction.
 */
export async function lockForDispatch(
  tx: Transaction,
  nodeId: string,
): Promise<{ candidates: DispatchCandidates; suspect: boolean }> {
  const { rows } = await tx.query<{ jobIds: string[] | null; backfill: boolean; suspect: boolean }>({
    name: 'lock-for-dispatch',
    text: `SELECT failures_in_row > 0 OR probes > 0 AS suspect, (SELECT backfill FROM policies) AS backfill,
                  (SELECT job_ids FROM next_in_line WHERE planned_at > now() - make_interval(secs => $2)) AS "jobIds"
             FROM nodes WHERE id = $1 FOR NO KEY UPDATE`,
    values: [nodeId, candidatesValidSeconds],
  })
  const [row] = rows
  return {
    candidates: { jobIds: row?.jobIds ?? [], backfill: row?.backfill ?? false },
    suspect: row?.suspect ?? false,
  }
}

/**
 * Starts the next candidate on the capacity that a task has just released, in the same transaction, so that no GPU
 * waits for the leader's next pass. Considers only the first waiting job that could ever run on the node, and checks
 * it with the same `fits()` as the scheduler. If it does not fit, or its user holds too many GPUs, the leader decides.
 * @param candidates the result of {@link lockForDispatch}, without jobs that must not follow. The node's row must have
 * been locked since then.
 */
export async function dispatchDirectly(
  tx: Transaction,
  nodeId: string,
  { jobIds, backfill }: DispatchCandidates,
): Promise<void> {
  // Serialized, so that jobs start in queue order.
  const node = jobIds.length > 0 ? await readLockedNode(tx, nodeId, locks.directDispatch) : null
  if (!node) return
  for (let left = jobIds; left.length > 0; ) {
    const job = await lockFirstWaiting(tx, left)
    if (!job) return
    const request = requestOf(job.spec, job.id)
    const fit = fits(request, node)
    if (fit.ok) {
      if (await exceedsGpuLimits(tx, job, request)) return
      await startJob(tx, { jobId: job.id, attempt: job.attempt + 1 }, { rank: 0, ...fit.task })
      return
    }
    if (!backfill || couldFit(request, node)) return
    left = left.slice(left.indexOf(job.id) + 1)
  }
}

interface Next extends GpuLimits {
  id: string
  attempt: number
  spec: StoredSpec
}

/**
 * Also null if another transaction has locked the job: the leader that places it, or a user's change. Waiting for
 * that transaction could deadlock.
 */
async function lockFirstWaiting(tx: Transaction, jobIds: readonly string[]): Promise<Next | null> {
  const { rows } = await tx.query<Unparsed<Next>>({
    name: 'lock-first-candidate',
    text: `SELECT id, attempt, spec, ${gpuLimitColumns} FROM jobs
            WHERE status = 'pending' AND id = (
                  SELECT jobs.id FROM unnest($1::uuid[]) WITH ORDINALITY AS line (id, turn) JOIN jobs USING (id)
                   WHERE status = 'pending' AND NOT held AND (not_before IS NULL OR not_before <= now()) AND ${hasBudgetLeft('jobs')}
                   ORDER BY turn LIMIT 1)
              FOR UPDATE SKIP LOCKED`,
    values: [jobIds],
  })
  return rows.map(parseSpec)[0] ?? null
}
