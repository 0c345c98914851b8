import { database } from '../../database/client'
import { type Lease, leaseHeld } from '../nodes/nodes'

/**
 * Replaces the usage sample of a task's container with a newer one. Does nothing without the lease, or after the
 * task has ended.
 */
export async function recordTaskUsage(
  lease: Lease,
  taskId: string,
  usage: { cpuSeconds: number; memoryPeakMib: number },
): Promise<void> {
  await database().pool.query({
    name: 'record-task-usage',
    text: `UPDATE tasks SET cpu_seconds = $4, sampled_seconds = extract(epoch FROM now() - started_at),
             memory_peak_mib = greatest(memory_peak_mib, $5::int)
            WHERE id = $3 AND node_id = $1 AND status = 'running' AND ${leaseHeld}`,
    values: [lease.nodeId, lease.leaseId, taskId, usage.cpuSeconds, usage.memoryPeakMib],
  })
}
