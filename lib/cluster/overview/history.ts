import type { Actor } from '../../access/actor'
import type { ClusterHistory } from '../../contract/cluster'
import { database } from '../../database/client'

/** One point a quarter of a minute: an hour is 240 points, more than a chart of that size can show. */
const stepSeconds = 15

type GpuHistory = ClusterHistory['gpus'][number]

/**
 * What each GPU did over the last hour. A point stands for a quarter of a minute: the mean of its loads, temperatures
 * and powers, and the most memory in use, because it is the peak that breaks a job.
 *
 * @param nodes the numbers of the nodes whose GPUs are asked for; null: all, which is 7 kB for each GPU.
 */
export async function readHistory(
  _actor: Actor,
  nodes: readonly number[] | null = null,
): Promise<ClusterHistory> {
  const { rows } = await database().pool.query<GpuHistory>({
    name: 'gpu-history',
    text: `
      WITH points AS (
        SELECT gpu_id, floor(extract(epoch FROM at) / $1)::int8 * $1 AS at, avg(load) AS load,
               max(memory_used_mib) AS memory, avg(temperature_c) AS temperature, avg(power_w) AS power
          FROM gpu_samples WHERE at > now() - interval '1 hour' AND at <= now()
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
    values: [stepSeconds, nodes],
  })
  return { gpus: rows }
}
