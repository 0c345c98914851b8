import { uuidv7 } from 'uuidv7'
import { database } from '../../database/client'
import { readPolicy } from '../admin/policy'
import { type Lease, leaseHeld } from '../nodes/nodes'
import type { UsageThresholds } from './gpu-health'
import type { GpuReading } from './gpu-reading'

/**
 * The writes of a worker about its node's real GPUs. Each GPU is written in its own statement, because a statement
 * that locks several rows could block placing and releasing. All writes require the lease and do nothing without it.
 */

export interface GpuState {
  id: string
  uuid: string
  index: number
  model: string
  memoryMib: number
  missing: boolean
  allocated: boolean
  busyReason: string | null
}

/** Reads the state of the node's real GPUs, and the thresholds of the policy. */
export async function readGpuStates(
  lease: Lease,
): Promise<{ states: GpuState[]; thresholds: UsageThresholds }> {
  const [{ rows: states }, policy] = await Promise.all([
    database().pool.query<GpuState>({
      name: 'gpu-states',
      text: `SELECT id, uuid, index, model, memory_mib AS "memoryMib", missing, allocated_milli > 0 AS allocated,
                    busy_reason AS "busyReason" FROM gpus WHERE node_id = $1 AND NOT simulated ORDER BY index`,
      values: [lease.nodeId],
    }),
    readPolicy(),
  ])
  return { states, thresholds: { memory: policy.memory_threshold, load: policy.load_threshold } }
}

/**
 * Stores a reading, and why the GPU is blocked. Adds a new GPU and restores a missing one.
 * @param keep whether to store the reading in the GPU's history.
 */
export async function recordGpu(
  lease: Lease,
  gpu: GpuReading,
  busyReason: string | null,
  keep: boolean,
): Promise<void> {
  await database().pool.query({
    name: 'record-gpu',
    text: `WITH seen AS (
             INSERT INTO gpus (id, node_id, uuid, index, model, memory_mib, sampled_at, load, memory_used_mib, temperature_c, power_w, busy_reason)
             SELECT $3::uuid, $1::uuid, $4, $5, $6, $7, now(), $8, $9, $10, $11, $12 WHERE ${leaseHeld}
             ON CONFLICT (node_id, uuid) DO UPDATE SET
               index = excluded.index, model = excluded.model, memory_mib = excluded.memory_mib, missing = false, forgotten_at = NULL, sampled_at = now(),
               load = excluded.load, memory_used_mib = excluded.memory_used_mib, temperature_c = excluded.temperature_c,
               power_w = excluded.power_w,
               -- Allocated a moment ago: its use is now that of our job.
               busy_reason = CASE WHEN gpus.allocated_milli > 0 AND NOT $13::boolean THEN NULL ELSE excluded.busy_reason END
             RETURNING id
           )
           INSERT INTO gpu_samples (gpu_id, load, memory_used_mib, temperature_c, power_w)
           SELECT id, $8, $9, $10, $11 FROM seen WHERE $14::boolean ON CONFLICT DO NOTHING`,
    values: [
      lease.nodeId,
      lease.leaseId,
      uuidv7(),
      gpu.uuid,
      gpu.index,
      gpu.model,
      gpu.memoryMib,
      gpu.load,
      gpu.memoryUsedMib,
      gpu.temperatureC,
      gpu.powerW,
      busyReason,
      gpu.fault !== null,
      keep,
    ],
  })
}

/** Marks a GPU that nvidia-smi does not list any more. */
export async function markGpuMissing(lease: Lease, gpuId: string): Promise<void> {
  await database().pool.query(
    `UPDATE gpus SET missing = true, busy_reason = NULL WHERE node_id = $1 AND id = $3 AND ${leaseHeld}`,
    [lease.nodeId, lease.leaseId, gpuId],
  )
}

/** Blocks a GPU whose state is unknown. */
export async function blockGpu(lease: Lease, gpuId: string, reason: string): Promise<void> {
  await database().pool.query(
    `UPDATE gpus SET busy_reason = $4 WHERE node_id = $1 AND id = $3 AND ${leaseHeld}`,
    [lease.nodeId, lease.leaseId, gpuId, reason],
  )
}

/** Replaces the node's warning about nvidia-smi; null removes it. */
export async function setGpuWarning(lease: Lease, warning: string | null): Promise<void> {
  await database().pool.query(
    `UPDATE nodes SET warnings = ARRAY(SELECT w FROM unnest(warnings) WITH ORDINALITY AS u (w, i)
                                        WHERE w NOT LIKE 'nvidia-smi %' ORDER BY i) || $3::text[]
      WHERE id = $1 AND lease_id = $2 AND lease_expires_at > now() AND status <> 'lost'`,
    [lease.nodeId, lease.leaseId, warning === null ? [] : [warning]],
  )
}

/** Deletes samples older than an hour, also those of removed nodes. */
export async function deleteOldSamples(): Promise<void> {
  await database().pool.query("DELETE FROM gpu_samples WHERE at < now() - interval '1 hour'")
}
