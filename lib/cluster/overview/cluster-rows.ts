import { z } from 'zod'
import { type Actor, isAdmin } from '../../access/actor'
import { clusterGpuSchema, clusterNodeSchema, gpuUseSchema } from '../../contract/cluster/cluster'
import { database } from '../../database/client'
import { notRemoved } from '../../jobs/config/registered-nodes'
import { visibilityFilter } from '../../jobs/read/job-visibility'
import { gpuFactsSchema, nodeFactsSchema } from './cluster-states'
import { hiddenUntil, isReadingShown } from './hidden-readings'

const gpuRow = clusterGpuSchema.omit({ state: true, reason: true }).extend({
  // PostgreSQL writes another ISO 8601 form.
  use: gpuUseSchema.extend({ at: z.string().transform((text) => new Date(text).toISOString()) }).nullable(),
  facts: gpuFactsSchema,
})

/** A node as the API returns it, with the facts from which its state and those of its GPUs follow. */
const nodeRow = clusterNodeSchema.omit({ state: true, reason: true, probe: true }).extend({
  facts: nodeFactsSchema,
  gpus: z.array(gpuRow),
})

export type NodeRow = z.output<typeof nodeRow>

/**
 * SQL condition for visible nodes: not forgotten, not a removed simulated node, and not a dedicated node that is
 * gone.
 */
export const shownNodes = `n.forgotten_at IS NULL AND ${notRemoved('n')} AND NOT (n.dedicated_to IS NOT NULL AND n.status IN ('lost', 'drained'))`

/** SQL condition for visible GPUs: not forgotten, and not removed from a simulated node. */
export const shownGpus =
  'g.forgotten_at IS NULL AND NOT (g.missing AND g.simulated AND g.allocated_milli = 0)'

/** SQL columns that identify a node, and the facts that determine its state. */
export const nodeColumns = `
  n.number AS node_id, n.name, json_build_object(
    'status', n.status, 'leaseHeld', n.lease_expires_at > now(), 'simulated', n.simulated,
    'paused', n.paused_at IS NOT NULL, 'pauseReason', n.pause_reason,
    'quarantined', n.quarantined_at IS NOT NULL, 'quarantineReason', n.quarantine_reason,
    'probe', CASE WHEN n.quarantined_at IS NOT NULL THEN json_build_object(
      'quarantinedAt', n.quarantined_at, 'probedAt', n.probed_at, 'probes', n.probes, 'error', n.probe_error,
      'enabled', (SELECT probe_quarantined FROM policies)) END) AS facts`

/**
 * Reads all nodes or those with the given numbers, with their GPUs and jobs, in one query. Shows the job on a GPU
 * only if the actor may see it, and what the GPU does only if that is no secret of a competition.
 */
export async function readNodeRows(actor: Actor, numbers?: readonly number[]): Promise<NodeRow[]> {
  const visible = visibilityFilter(actor)
  const values = [...visible.values, ...(numbers === undefined ? [] : [numbers])]
  const { rows } = await database().pool.query<z.input<typeof nodeRow>>(
    `${selectNodes(visible.sql)} WHERE ${shownNodes}
       ${numbers === undefined ? '' : `AND n.number = ANY ($${values.length}::int[])`} ORDER BY n.number`,
    values,
  )
  const parsed = z.array(nodeRow).parse(rows)
  if (isAdmin(actor)) return parsed
  return parsed.map((row) => ({
    ...row,
    warnings: [],
    failed_checks: 0,
    facts: { ...row.facts, probe: null },
  }))
}

/** Includes ended tasks that still hold GPUs: a GPU is not free until its container is gone. */
const jobsOnGpu = (visible: string) => `
  SELECT json_agg(json_build_object(
           'job_id', CASE WHEN ${visible} THEN j.id END, 'name', CASE WHEN ${visible} THEN j.name END,
           'user_id', CASE WHEN ${visible} THEN u.handle END,
           'user_name', CASE WHEN ${visible} THEN u.name END, 'share', a.milli / 1000.0) ORDER BY a.created_at, a.task_id)
    FROM allocations a JOIN tasks t ON t.id = a.task_id JOIN jobs j ON j.id = t.job_id JOIN users u ON u.id = j.user_id
   WHERE a.gpu_id = g.id AND a.released_at IS NULL`

const gpusOfNode = (visible: string) => `
  SELECT json_agg(json_build_object(
           'gpu_id', g.id, 'index', g.index, 'uuid', g.uuid, 'model', g.model, 'simulated', g.simulated,
           'allocated', g.allocated_milli / 1000.0, 'memory_mib', g.memory_mib,
           'facts', json_build_object('missing', g.missing, 'paused', g.paused_at IS NOT NULL, 'pauseReason', g.pause_reason,
             'busyReason', g.busy_reason, 'allocatedMilli', g.allocated_milli),
           'use', CASE WHEN ${isReadingShown} THEN json_build_object('at', g.sampled_at, 'load', g.load,
             'memory_used_mib', g.memory_used_mib, 'temperature_c', g.temperature_c, 'power_w', g.power_w) END,
           'jobs', CASE WHEN g.allocated_milli = 0 THEN '[]' ELSE coalesce((${jobsOnGpu(visible)}), '[]') END
         ) ORDER BY g.missing, g.index, g.uuid) AS list
    FROM gpus g LEFT JOIN hidden h ON h.gpu_id = g.id WHERE g.node_id = n.id AND ${shownGpus}`

const selectNodes = (visible: string) => `
  WITH hidden AS (${hiddenUntil(visible)})
  SELECT ${nodeColumns}, n.simulated, n.pool, n.dedicated_to IS NOT NULL AS dedicated, n.engine_version, coalesce(n.warnings, '{}') AS warnings,
         coalesce((SELECT r.failures FROM node_reports r WHERE r.node_id = n.id), 0) AS failed_checks,
         n.cpu_milli, coalesce(used.cpu, 0)::int AS cpu_used_milli, n.memory_mib, coalesce(used.memory, 0)::int AS memory_used_mib,
         CASE WHEN n.lease_expires_at > now() THEN n.warm_containers ELSE 0 END AS warm_containers,
         CASE WHEN n.lease_expires_at > now() THEN n.warm_memory_mib ELSE 0 END AS warm_memory_mib,
         coalesce(gpus.list, '[]') AS gpus
    FROM nodes n
    LEFT JOIN LATERAL (
      SELECT sum(cpu_milli) AS cpu, sum(memory_mib) AS memory FROM tasks
       WHERE node_id = n.id AND status IN ('scheduled', 'starting', 'running')) used ON true
    LEFT JOIN LATERAL (${gpusOfNode(visible)}) gpus ON true`
