import { figuresOf } from '../bench/measure'
import type { Sample } from './samples'

/** How a figure is compared: as it is, or divided by something that may grow. */
export type Basis = 'steady' | 'per accepted job' | 'per job with stored files' | 'per hour of samples'

export interface LeakRule {
  basis: Basis
  /** The last quarter's median may be this many times the first one's … */
  factor: number
  /** … plus this much. */
  slack: number
  why: string
}

export interface LeakResult extends LeakRule {
  name: string
  first: number
  last: number
  passed: boolean
}

const rules: readonly [pattern: RegExp, rule: LeakRule][] = [
  [
    /^memory PostgreSQL$/,
    {
      basis: 'steady',
      factor: 1.25,
      slack: 96,
      why: 'its shared buffers (128 MiB) fill up with the stored rows',
    },
  ],
  [
    /^memory /,
    {
      basis: 'steady',
      factor: 1.2,
      slack: 48,
      why: 'the heap grows until its collector finds it worth while',
    },
  ],
  [
    /^open files /,
    {
      basis: 'steady',
      factor: 1.2,
      slack: 16,
      why: 'they follow the number of running jobs and open streams',
    },
  ],
  [
    /^database connections$/,
    { basis: 'steady', factor: 1.2, slack: 4, why: 'pools open connections as needed' },
  ],
  [
    /^(containers|networks)$/,
    { basis: 'steady', factor: 1.5, slack: 4, why: 'they follow the number of running jobs' },
  ],
  [/^volumes$/, { basis: 'steady', factor: 1, slack: 0, why: 'gpuq creates none' }],
  [
    /^(files (results|artifacts)|rows (result_files|artifacts))$/,
    {
      basis: 'per job with stored files',
      factor: 1.25,
      slack: 0.25,
      why: 'each job has them until its files are deleted',
    },
  ],
  [
    /^files /,
    {
      basis: 'steady',
      factor: 1.25,
      slack: 60,
      why: 'users delete directories and checkpoints during the run',
    },
  ],
  [
    /^rows (jobs|tasks|task_usage|allocations|idempotency_keys|job_metrics|notification_deliveries|audit_events)$/,
    {
      basis: 'per accepted job',
      factor: 1.25,
      slack: 0.1,
      why: 'gpuq keeps the record of each job (keys: for a day)',
    },
  ],
  [
    /^rows gpu_samples$/,
    { basis: 'per hour of samples', factor: 1.25, slack: 10, why: 'gpuq keeps the samples of the last hour' },
  ],
  [/^rows /, { basis: 'steady', factor: 1.25, slack: 40, why: 'nothing of an ended job may stay there' }],
]

/** Minutes of samples that a comparison needs. */
const leastSamples = 16
/** A short part at the start, in which pools fill up and code is compiled. */
const warmUp = { share: 0.15, mostSeconds: 15 * 60 }

/**
 * Compares the median of the first quarter after the warm-up with that of the last quarter, for each figure that a
 * rule names. Returns null if there are too few samples.
 */
export function findLeaks(samples: readonly Sample[]): LeakResult[] | null {
  const end = samples.at(-1)?.at ?? 0
  const from = Math.min(end * warmUp.share, warmUp.mostSeconds)
  const warm = samples.filter(({ at }) => at >= from)
  if (warm.length < leastSamples) return null
  const quarter = (end - from) / 4
  const first = warm.filter(({ at }) => at < from + quarter)
  const last = warm.filter(({ at }) => at >= end - quarter)
  const names = [...new Set(warm.flatMap(({ values }) => Object.keys(values)))]
  return names.toSorted().flatMap((name) => {
    const rule = rules.find(([pattern]) => pattern.test(name))?.[1]
    if (!rule) return []
    const before = median(first, name, rule.basis)
    const after = median(last, name, rule.basis)
    return { name, ...rule, first: before, last: after, passed: after <= before * rule.factor + rule.slack }
  })
}

/** A figure that is missing in all samples, such as a directory before its first file, counts as 0. */
function median(samples: readonly Sample[], name: string, basis: Basis): number {
  const values = samples.flatMap(({ at, values }) => {
    const value = values[name]
    return value === undefined ? [] : [value / divisor(at, values, basis)]
  })
  return values.length === 0 ? 0 : figuresOf(values).median
}

function divisor(at: number, values: Record<string, number>, basis: Basis): number {
  if (basis === 'per accepted job') return Math.max(1, values['accepted jobs'] ?? 1)
  if (basis === 'per job with stored files') return Math.max(1, values['jobs with stored files'] ?? 1)
  if (basis === 'per hour of samples') return Math.min(at, 3600) / 3600
  return 1
}
