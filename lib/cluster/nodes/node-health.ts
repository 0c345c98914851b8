import { describeReason, type EndReason } from '../../contract/reasons'
import type { Transaction } from '../../database/transaction'
import type { Outcome } from '../../jobs/state/finish'
import type { Lease } from './nodes'

/** What the end reason of a task says about its node: failure, success, or nothing (null). */
const healthOf = {
  finished: 'works',
  exit_code: 'works',
  timeout: 'works',
  out_of_memory: 'works',
  output_limit: 'works',
  checkpoint_limit: 'works',
  idle_gpu: 'works',
  image_unavailable: 'failed',
  internal_error: 'failed',
  cancelled_by_user: null,
  cancelled_by_admin: null,
  cancelled_by_manager: null,
  token_stopped: null,
  approval_refused: null,
  cancelled_in_slurm: null,
  stopped_early: null,
  budget_used_up: null,
  group_paused: null,
  dependency_failed: null,
  dependency_completed: null,
  slurm_refused: null,
  slurm_requeued: null,
  slurm_stopped: null,
  // A missing directory of one project says nothing about the node.
  workspace_unavailable: null,
  // Other jobs need no snapshot, or have theirs in the node's cache.
  snapshot_unavailable: null,
  // The node runs every other job. Its page says what is missing.
  internet_unavailable: null,
  node_lost: null,
  worker_stopped: null,
  // An update or a crash of the engine also ends jobs that would work there.
  engine_restarted: null,
  preempted: null,
  not_assignable: null,
  never_fits: null,
  peers_missing: null,
  peer_failed: null,
  not_provisioned: null,
} as const satisfies Record<EndReason, 'works' | 'failed' | null>

const failures = Object.entries(healthOf)
  .filter(([, health]) => health === 'failed')
  .map(([reason]) => reason)

/**
 * Updates a node's count of consecutive failures and quarantines the node when the count reaches the policy's limit.
 * A job that fails here repeatedly is counted once, because the job may be the cause. An image that never ran on any
 * node is not counted, because a wrong image name would quarantine one node after another; an image that ran
 * elsewhere is counted.
 * @param suspect whether there is a count to reset, read while the node's row was locked.
 */
export async function updateNodeHealth(
  tx: Transaction,
  lease: Lease,
  task: { id: string; jobId: string; image: string },
  outcome: Outcome,
  suspect: boolean,
): Promise<void> {
  const health = healthOf[outcome.reason]
  if (health === 'works' && suspect) {
    await tx.query({
      name: 'node-works',
      text: 'UPDATE nodes SET failures_in_row = 0, probes = 0 WHERE id = $1 AND lease_id = $2',
      values: [lease.nodeId, lease.leaseId],
    })
  }
  if (health !== 'failed') return
  const needed = outcome.reason === 'image_unavailable' ? task.image : null
  const last = describeReason(outcome.reason, outcome.detail)
  await tx.query(
    `UPDATE nodes SET failures_in_row = failures_in_row + 1,
            quarantined_at = CASE WHEN failures_in_row + 1 >= p.quarantine_after THEN coalesce(quarantined_at, now()) ELSE quarantined_at END,
            quarantine_reason = CASE WHEN failures_in_row + 1 >= p.quarantine_after AND quarantined_at IS NULL
              THEN 'Jobs that failed here in a row because of the node: ' || failures_in_row + 1 || '. The last one: ' || $5::text
              ELSE quarantine_reason END
       FROM policies p
      WHERE nodes.id = $1 AND nodes.lease_id = $2
        AND ($7::text IS NULL OR EXISTS (SELECT 1 FROM environments WHERE image = $7 AND ran_at IS NOT NULL))
        AND NOT EXISTS (
            SELECT 1 FROM tasks t WHERE t.job_id = $3 AND t.node_id = $1 AND t.id <> $4 AND t.reason = ANY ($6::text[]))`,
    [lease.nodeId, lease.leaseId, task.jobId, task.id, last, failures, needed],
  )
}
