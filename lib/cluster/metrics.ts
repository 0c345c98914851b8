import { Gauge, Registry } from 'prom-client'
import { database } from '../database/client'
import { jobStatuses } from '../jobs/status'

interface Figures {
  jobs: Record<string, number>
  oldestWaitingS: number
  gpus: { node: string; gpu: string; simulated: boolean; allocated: number }[]
  nodes: { node: string; status: string }[]
  unstoredResults: number
}

/** The cluster's figures in Prometheus's text format, read afresh: they are the same whichever process is asked. */
export async function renderMetrics(): Promise<{ body: string; contentType: string }> {
  const figures = await readFigures()
  const registry = new Registry()
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })

  const jobs = gauge('gpuq_jobs', 'Active jobs by status', ['status'])
  for (const status of jobStatuses)
    if (status in figures.jobs) jobs.set({ status }, figures.jobs[status] ?? 0)
  gauge('gpuq_queue_oldest_seconds', 'How long the oldest waiting job has waited').set(figures.oldestWaitingS)
  gauge('gpuq_results_unstored', 'Ended jobs whose output is not a file yet').set(figures.unstoredResults)
  const allocated = gauge('gpuq_gpu_allocated_ratio', 'Share of each GPU that is given out', [
    'node',
    'gpu',
    'simulated',
  ])
  for (const { node, gpu, simulated, allocated: share } of figures.gpus) {
    allocated.set({ node, gpu, simulated: String(simulated) }, share)
  }
  const nodes = gauge('gpuq_node_ready', '1 when a node takes jobs', ['node', 'status'])
  for (const { node, status } of figures.nodes) nodes.set({ node, status }, status === 'ready' ? 1 : 0)
  return { body: await registry.metrics(), contentType: registry.contentType }
}

async function readFigures(): Promise<Figures> {
  const { rows } = await database().pool.query<Figures>(
    `SELECT (SELECT jsonb_object_agg(s, (SELECT count(*) FROM jobs WHERE status = s))
               FROM unnest(ARRAY['pending', 'scheduled', 'running']::"JobStatus"[]) AS s) AS jobs,
            (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 FROM jobs WHERE status = 'pending') AS "oldestWaitingS",
            (SELECT coalesce(jsonb_agg(jsonb_build_object('node', n.name, 'gpu', g.index::text, 'simulated', g.simulated,
                                       'allocated', g.allocated_milli / 1000.0)), '[]')
               FROM gpus g JOIN nodes n ON n.id = g.node_id WHERE NOT g.missing) AS gpus,
            (SELECT coalesce(jsonb_agg(jsonb_build_object('node', name, 'status', status)), '[]') FROM nodes) AS nodes,
            (SELECT count(*)::int FROM jobs WHERE status IN ('completed', 'failed', 'cancelled') AND NOT result_stored) AS "unstoredResults"`,
  )
  const [row] = rows
  if (!row) throw new Error('the figures query returned nothing')
  return row
}
