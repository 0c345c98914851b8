import type { RequestedStop, SlurmStopReason } from '../../contract/reasons'
import { database } from '../../database/client'
import type { Lease } from '../nodes/nodes'

/** What a live task must do because of an event elsewhere. */
export interface TaskOrder {
  id: string
  /** Why it must stop; null: it may go on. */
  reason: RequestedStop | 'preempted' | 'peer_failed' | SlurmStopReason | null
  /** Whether Slurm has suspended its job. */
  suspended: boolean
}

/**
 * Returns what each live task of this node must do. For a stop, cancellation takes precedence over an end in Slurm, that over
 * preemption, and all over the failure of a peer.
 */
export async function readTaskOrders(lease: Lease): Promise<TaskOrder[]> {
  const { rows } = await database().pool.query<TaskOrder>({
    name: 'task-orders',
    text: `SELECT t.id, CASE WHEN j.cancel_requested_at IS NOT NULL THEN j.cancel_reason
                             WHEN s.stop_reason IS NOT NULL THEN s.stop_reason
                             WHEN t.preempted_at IS NOT NULL THEN 'preempted'
                             WHEN j.network_index IS NOT NULL AND EXISTS (
                               SELECT 1 FROM tasks p WHERE p.job_id = t.job_id AND p.attempt = t.attempt AND p.id <> t.id
                                                       AND p.reason <> 'finished') THEN 'peer_failed' END AS reason,
                  coalesce(s.state = 'SUSPENDED', false) AS suspended
             FROM tasks t JOIN jobs j ON j.id = t.job_id
             LEFT JOIN slurm_jobs s ON s.job_id = t.job_id AND s.attempt = t.attempt AND s.ended_at IS NULL
            WHERE t.node_id = $1 AND t.status IN ('starting', 'running')`,
    values: [lease.nodeId],
  })
  return rows
}
