import type { Actor } from '../../access/actor'
import type { ClusterHistory } from '../../contract/cluster/cluster-history'
import { database } from '../../database/client'
import { visibilityFilter } from '../../jobs/read/job-visibility'
import { hiddenTimes, keptReadings } from './hidden-readings'

/** Seconds per point. An hour has 240 points, more than a chart of that size can show. */
const stepSeconds = 15

type GpuHistory = ClusterHistory['gpus'][number]

/**
 * Reads the history of each GPU over the last hour. Each point covers 15 seconds: the mean of load, temperature and
 * power, and the maximum of memory, because a job fails at the peak. There is no point for times in which the GPU had a job of a
 * competition that the actor may not see.
 * @param nodes numbers of the nodes; null: all nodes, about 7 kB per GPU.
 */
export async function readHistory(
  actor: Actor,
  nodes: readonly number[] | null = null,
): Promise<ClusterHistory> {
  const visible = visibilityFilter(actor, 3)
  const { rows } = await database().pool.query<GpuHistory>({
    name: `gpu-history-${visible.values.length}`,
    text: `
      WITH hidden AS (${hiddenTimes(visible.sql)}), points AS (
        SELECT gpu_id, floor(extract(epoch FROM at) / $1)::int8 * $1 AS at, avg(load) AS load,
               max(memory_used_mib) AS memory, avg(temperature_c) AS temperature, avg(power_w) AS power
          FROM gpu_samples s WHERE at > now() - ${keptReadings} AND at <= now()
            AND NOT EXISTS (SELECT FROM hidden h WHERE h.gpu_id = s.gpu_id AND s.at BETWEEN h.since AND h.till)
            AND ($2::int[] IS NULL OR gpu_id = ANY (ARRAY(
                  SELECT g.id FROM gpus g JOIN nodes n ON n.id = g.node_id WHERE n.number = ANY ($2::int[]))))
          GROUP BY 1, 2)
      SELECT p.gpu_id, jsonb_agg(p.at ORDER BY p.at) AS at,
             jsonb_agg(round(p.load::numeric, 3) ORDER BY p.at) AS load,
             jsonb_agg(p.memory ORDER BY p.at) AS memory_used_mib,
             jsonb_agg(round(p.temperature) ORDER BY p.at) AS temperature_c,
             jsonb_agg(round(p.power::numeric, 1) ORDER BY p.at) AS power_w
        FROM points p JOIN gpus g ON g.id = p.gpu_id JOIN nodes n ON n.id = g.node_id
       GROUP BY p.gpu_id, n.number, g.index ORDER BY n.number, g.index, p.gpu_id`,
    values: [stepSeconds, nodes, ...visible.values],
  })
  return { gpus: rows }
}
