import type { GroupMember } from '@/lib/groups/contract'
import type { ChartShape } from '../../jobs/result/detect-shape'
import { runTimeOf } from '../member-columns'

interface Search {
  metric: string
  mode: 'min' | 'max'
  /** GPUs of a member that has no number of its own. Without GPUs, hours of run time are counted. */
  gpus: number
}

/**
 * The best value of a metric over the GPU hours that were spent until then, in the order in which the members ended. Members that failed
 * have spent too. Null: fewer than two completed members have the metric. Only the last attempt of a member is counted.
 */
export function bestSoFar(
  members: readonly GroupMember[],
  { metric, mode, gpus }: Search,
): ChartShape | null {
  const ended = members
    .flatMap((member) => (member.ended_at === null ? [] : [{ member, at: Date.parse(member.ended_at) }]))
    .toSorted((a, b) => a.at - b.at)
  const hasGpus = gpus > 0 || members.some((member) => (member.gpus ?? 0) > 0)
  let hours = 0
  let best: number | null = null
  const points: { hours: number; best: number }[] = []
  for (const { member } of ended) {
    hours += ((runTimeOf(member, null) ?? 0) / 3_600_000) * (hasGpus ? (member.gpus ?? gpus) : 1)
    const value = member.status === 'completed' ? member.metrics[metric] : undefined
    if (value === undefined) continue
    best = best === null ? value : mode === 'min' ? Math.min(best, value) : Math.max(best, value)
    points.push({ hours, best })
  }
  if (points.length < 2) return null
  return {
    x: { name: hasGpus ? 'GPU hours' : 'hours of run time', values: points.map((point) => point.hours) },
    series: [{ name: `best ${metric}`, values: points.map((point) => point.best) }],
  }
}
