import type { NearestValue, ProblemExtensions } from '@/lib/contract/errors'
import { formatCount } from '../ui/format-number'

export type Nearest = NonNullable<ProblemExtensions['nearest']>

const phrases: Readonly<Record<string, (value: NearestValue) => string>> = {
  gpu_count: (value) => formatCount(Number(value), 'GPU'),
  instance_count: (value) => formatCount(Number(value), 'node'),
  cpu: (value) => formatCount(Number(value), 'core'),
  memory_gb: (value) => `${value} GB of memory`,
  gpu_memory_gb: (value) => `GPUs with ${value} GB`,
  gpu_model: (value) => `the model ${value}`,
  pool: (value) => `the pool ${value}`,
  allowed_gpus: () => 'any GPU of a node',
  max_time: (value) => `a time limit of ${value} s`,
  expected_time: (value) => `an expected time of ${value} s`,
}

/** The nearest request that fits, for a button: "2 GPUs and 8 cores". */
export function describeNearest(nearest: Nearest): string {
  const parts = Object.entries(nearest).map(([key, value]) => phrases[key]?.(value) ?? `${key}: ${value}`)
  return new Intl.ListFormat('en').format(parts)
}
