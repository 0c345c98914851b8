import type { QueueJob } from '@/lib/contract/cluster/cluster'
import { formatCount } from '../ui/format-number'

/** A share of 1 in per cent: "50 %", "0.5 %". */
export function formatShare(share: number): string {
  const percent = share * 100
  return `${percent > 0 && percent < 1 ? percent.toFixed(1) : Math.round(percent)} %`
}

/** A size in GiB, with decimals where they matter: "0.25 GiB", "1.5 GiB", "80 GiB". Only no memory is "0 GiB". */
export function formatGib(mib: number): string {
  const gib = mib / 1024
  if (gib <= 0) return '0 GiB'
  if (gib < 0.995) return `${Math.max(0.01, Number(gib.toFixed(2)))} GiB`
  return `${gib < 9.95 ? gib.toFixed(1) : Math.round(gib)} GiB`
}

/** The request of a queued job on all of its nodes: "8 GPUs (H100) on each of 2 nodes". */
export function formatQueuedNeed(
  job: Pick<QueueJob, 'gpu_count' | 'gpu_fraction' | 'gpu_memory_gb' | 'gpu_model' | 'instance_count'>,
): string {
  const each = job.gpu_model === null ? formatNeed(job) : `${formatNeed(job)} (${job.gpu_model})`
  return job.instance_count > 1 ? `${each} on each of ${job.instance_count} nodes` : each
}

/** The GPU request of a job: "2 GPUs with 40 GB", "0.5 of a GPU", "no GPU". */
export function formatNeed(job: Pick<QueueJob, 'gpu_count' | 'gpu_fraction' | 'gpu_memory_gb'>): string {
  const { gpu_count: count, gpu_fraction: fraction, gpu_memory_gb: memory } = job
  if (count === 0 && fraction === null) return 'no GPU'
  const amount = fraction !== null && fraction < 1 ? `${fraction} of a GPU` : formatCount(count, 'GPU')
  return memory === null ? amount : `${amount} with ${memory} GB`
}

/** The models of some GPUs, grouped: "8 × NVIDIA A100". */
export function formatModels(models: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const model of models) counts.set(model, (counts.get(model) ?? 0) + 1)
  return [...counts].map(([model, count]) => (count > 1 ? `${count} × ${model}` : model)).join(', ')
}
