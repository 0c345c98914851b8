import { z } from 'zod'
import { type Actor, isAdmin } from '../../access/actor'
import { pools } from '../../contract/config/schema'
import { database } from '../../database/client'
import { visibilityFilter } from '../../jobs/read/job-visibility'
import { notRemoved } from '../simulated/simulated-nodes'

const time = z.string().transform((text) => new Date(text).toISOString())

const gpuRow = z.object({
  id: z.string(),
  index: z.number(),
  uuid: z.string(),
  model: z.string(),
  simulated: z.boolean(),
  missing: z.boolean(),
  allocatedMilli: z.number(),
  memoryMib: z.number(),
  paused: z.boolean(),
  pauseReason: z.string().nullable(),
  busyReason: z.string().nullable(),
  sampledAt: time.nullable(),
  load: z.number().nullable(),
  memoryUsedMib: z.number().nullable(),
  temperatureC: z.number().nullable(),
  powerW: z.number().nullable(),
  jobs: z.array(
    z.object({
      id: z.string().nullable(),
      name: z.string().nullable(),
      handle: z.string().nullable(),
      milli: z.number(),
    }),
  ),
})

/** The columns that determine the state of a node. */
export const nodeStateFields = {
  number: z.number(),
  name: z.string(),
  status: z.enum(['ready', 'draining', 'drained', 'lost']),
  leaseHeld: z.boolean(),
  paused: z.boolean(),
  pauseReason: z.string().nullable(),
  quarantined: z.boolean(),
  quarantineReason: z.string().nullable(),
  simulated: z.boolean(),
}

const nodeRow = z.object({
  ...nodeStateFields,
  pool: z.enum(pools),
  dedicated: z.boolean(),
  engineVersion: z.string(),
  warnings: z.array(z.string()),
  cpuMilli: z.number(),
  cpuUsedMilli: z.number(),
  memoryMib: z.number(),
  memoryUsedMib: z.number(),
  gpus: z.array(gpuRow),
})

export type NodeRow = z.output<typeof nodeRow>
export type GpuRow = z.output<typeof gpuRow>

/**
 * SQL condition for visible nodes: not forgotten, not a removed simulated node, and not a dedicated node that is
 * gone.
 */
export const shownNodes = `n.forgotten_at IS NULL AND ${notRemoved('n')} AND NOT (n.dedicated_to IS NOT NULL AND n.status IN ('lost', 'drained'))`

/** SQL condition for visible GPUs: not forgotten, and not removed from a simulated node. */
export const shownGpus =
  'g.forgotten_at IS NULL AND NOT (g.missing AND g.simulated AND g.allocated_milli = 0)'

/** SQL columns that identify a node and determine its state. */
export const nodeFacts = `
  n.number, n.name, n.status, n.lease_expires_at > now() AS "leaseHeld",
  n.paused_at IS NOT NULL AS paused, n.pause_reason AS "pauseReason",
  n.quarantined_at IS NOT NULL AS quarantined, n.quarantine_reason AS "quarantineReason", n.simulated`

/**
 * Reads all nodes or those with the given numbers, with their GPUs and jobs, in one query. Shows the job on a GPU
 * only if the actor may see it.
 */
export async function readNodeRows(actor: Actor, numbers?: readonly number[]): Promise<NodeRow[]> {
  const visible = visibilityFilter(actor)
  const values = [...visible.values, ...(numbers === undefined ? [] : [numbers])]
  const { rows } = await database().pool.query(
    `${selectNodes(visible.sql)} WHERE ${shownNodes}
       ${numbers === undefined ? '' : `AND n.number = ANY ($${values.length}::int[])`} ORDER BY n.number`,
    values,
  )
  const parsed = z.array(nodeRow).parse(rows)
  return isAdmin(actor) ? parsed : parsed.map((row) => ({ ...row, warnings: [] }))
}

/** Includes ended tasks that still hold GPUs: a GPU is not free until its container is gone. */
const jobsOnGpu = (visible: string) => `
  SELECT json_agg(json_build_object(
           'id', CASE WHEN ${visible} THEN j.id END, 'name', CASE WHEN ${visible} THEN j.name END,
           'handle', CASE WHEN ${visible} THEN u.handle END, 'milli', a.milli) ORDER BY a.created_at, a.task_id)
    FROM allocations a JOIN tasks t ON t.id = a.task_id JOIN jobs j ON j.id = t.job_id JOIN users u ON u.id = j.user_id
   WHERE a.gpu_id = g.id AND a.released_at IS NULL`

const gpusOfNode = (visible: string) => `
  SELECT json_agg(json_build_object(
           'id', g.id, 'index', g.index, 'uuid', g.uuid, 'model', g.model, 'simulated', g.simulated,
           'missing', g.missing, 'allocatedMilli', g.allocated_milli, 'memoryMib', g.memory_mib,
           'paused', g.paused_at IS NOT NULL, 'pauseReason', g.pause_reason, 'busyReason', g.busy_reason,
           'sampledAt', g.sampled_at, 'load', g.load, 'memoryUsedMib', g.memory_used_mib,
           'temperatureC', g.temperature_c, 'powerW', g.power_w,
           'jobs', CASE WHEN g.allocated_milli = 0 THEN '[]' ELSE coalesce((${jobsOnGpu(visible)}), '[]') END
         ) ORDER BY g.missing, g.index, g.uuid) AS list
    FROM gpus g WHERE g.node_id = n.id AND ${shownGpus}`

const selectNodes = (visible: string) => `
  SELECT ${nodeFacts}, n.pool, n.dedicated_to IS NOT NULL AS dedicated, n.engine_version AS "engineVersion", coalesce(n.warnings, '{}') AS warnings,
         n.cpu_milli AS "cpuMilli", coalesce(used.cpu, 0)::int AS "cpuUsedMilli",
         n.memory_mib AS "memoryMib", coalesce(used.memory, 0)::int AS "memoryUsedMib",
         coalesce(gpus.list, '[]') AS gpus
    FROM nodes n
    LEFT JOIN LATERAL (
      SELECT sum(cpu_milli) AS cpu, sum(memory_mib) AS memory FROM tasks
       WHERE node_id = n.id AND status IN ('scheduled', 'starting', 'running')) used ON true
    LEFT JOIN LATERAL (${gpusOfNode(visible)}) gpus ON true`
