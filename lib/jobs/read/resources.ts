import { z } from 'zod'
import { type JobResources, jobInstanceSchema } from '../../contract/cluster/job-resources'
import type { StoredSpec } from '../../contract/config/stored-spec'

/** SQL for what each instance of a job's last attempt holds or held, as JSON; nothing while the job waits for its next one. `j` is the job. */
export const instancesOfJob = `
  coalesce((SELECT jsonb_agg(jsonb_build_object(
                     'rank', i.rank, 'node', held.name, 'cpu_milli', i.cpu_milli, 'memory_mib', i.memory_mib,
                     'reason', i.reason, 'exit_code', i.exit_code, 'ended_at', i.ended_at,
                     'gpu_samples', i.gpu_samples, 'gpu_load_mean', i.gpu_load_mean,
                     'gpu_memory_peak_mib', i.gpu_memory_peak_mib, 'memory_peak_mib', i.memory_peak_mib,
                     'cpu_cores_mean', i.cpu_seconds / nullif(i.sampled_seconds, 0), 'gpus', coalesce(
                       (SELECT jsonb_agg(jsonb_build_object('gpu_id', g.id, 'index', g.index, 'model', g.model,
                                         'simulated', g.simulated, 'memory_mib', g.memory_mib,
                                         'share', a.milli / 1000.0) ORDER BY g.index)
                          FROM allocations a JOIN gpus g ON g.id = a.gpu_id WHERE a.task_id = i.id), '[]')
                   ) ORDER BY i.rank)
              FROM tasks i JOIN nodes held ON held.id = i.node_id
             WHERE i.job_id = j.id AND i.attempt = j.attempt AND j.status <> 'pending'), '[]')`

const instanceRows = z.array(
  jobInstanceSchema.extend({
    gpu_samples: z.number(),
    gpu_load_mean: z.number().nullable(),
    gpu_memory_peak_mib: z.number().nullable(),
    cpu_cores_mean: z.number().nullable(),
    memory_peak_mib: z.number().nullable(),
  }),
)

/** Returns the GPUs that a job requests. */
export function askedOf(spec: StoredSpec) {
  return {
    gpu_count: spec.gpu_count,
    gpu_fraction: spec.gpu_fraction ?? null,
    gpu_memory_gb: spec.gpu_memory_gb ?? null,
    gpu_model: spec.gpu_model ?? null,
    instance_count: spec.instance_count,
  }
}

/** Returns what a job requested, what it got, and how it used that. */
export function toResources(spec: StoredSpec, instances: unknown): JobResources {
  const rows = instanceRows.parse(instances)
  return {
    asked: { ...askedOf(spec), cpu: spec.cpu ?? null, memory_gb: spec.memory_gb ?? null },
    // PostgreSQL writes the offset of its time zone into JSON.
    got: rows.map(({ ended_at, ...row }) =>
      jobInstanceSchema.parse({ ...row, ended_at: ended_at && new Date(ended_at).toISOString() }),
    ),
    used: {
      gpu_load_mean: meanLoad(rows),
      gpu_memory_peak_mib: greatest(rows.map((row) => row.gpu_memory_peak_mib)),
      cpu_cores_mean: sum(rows.map((row) => row.cpu_cores_mean)),
      memory_peak_mib: greatest(rows.map((row) => row.memory_peak_mib)),
    },
  }
}

/** All samples of all instances have the same weight. */
function meanLoad(rows: z.output<typeof instanceRows>): number | null {
  const sampled = rows.filter((row) => row.gpu_load_mean !== null && row.gpu_samples > 0)
  const samples = sampled.reduce((sum, row) => sum + row.gpu_samples, 0)
  if (samples === 0) return null
  return sampled.reduce((sum, row) => sum + (row.gpu_load_mean ?? 0) * row.gpu_samples, 0) / samples
}

function greatest(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function sum(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0)
}
