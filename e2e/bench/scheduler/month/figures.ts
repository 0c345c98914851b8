import type { Outcome } from './simulate'
import type { MonthTrace } from './trace'

const minute = 60_000
/** Shorter runs count as this long for the slowdown, as usual. */
const minSlowdownMs = 10 * minute

/** Waits in milliseconds. */
export interface Waits {
  jobs: number
  median: number
  p99: number
  longest: number
}

export interface MonthFigures {
  jobs: number
  /** Difference of the forecast and the actual start, as a share of the actual wait. */
  forecastErrorMedian: number
  forecastErrorP90: number
  forecasts: number
  /** Part of the forecast ranges that contain the start, to the minute. */
  rangeCoverage: number
  /** Median width of the ranges, as a share of the actual wait. */
  rangeWidth: number
  waits: Waits
  waitsByGpus: ReadonlyMap<number, Waits>
  waitsByProject: ReadonlyMap<string, Waits>
  /** The used share of the cluster's GPU time in the month. */
  utilisation: number
  /** Mean of (wait + run time) / run time. */
  slowdown: number
}

export function figuresOfMonth({ days, nodes }: MonthTrace, outcomes: readonly Outcome[]): MonthFigures {
  const waited = outcomes.filter(({ job, startedAt }) => startedAt - job.submittedAt >= minute)
  const errors = waited.flatMap(({ job, startedAt, forecastAt }) =>
    forecastAt === null ? [] : [Math.abs(forecastAt - startedAt) / (startedAt - job.submittedAt)],
  )
  const endMs = days * 24 * 60 * minute
  const gpus = nodes.reduce((sum, node) => sum + node.gpus.length, 0)
  const slowdowns = outcomes.map((one) => {
    const runsMs = Math.max(minSlowdownMs, one.job.runsMs)
    return Math.max(1, (waitOf(one) + one.job.runsMs) / runsMs)
  })
  const used = outcomes.reduce((sum, { job, startedAt }) => {
    return sum + job.gpus * Math.max(0, Math.min(endMs, startedAt + job.runsMs) - startedAt)
  }, 0)
  return {
    jobs: outcomes.length,
    forecastErrorMedian: percentile(errors, 0.5),
    forecastErrorP90: percentile(errors, 0.9),
    forecasts: errors.length,
    ...rangeFigures(waited),
    waits: waitsOf(outcomes),
    waitsByGpus: groupBy(outcomes, ({ job }) => job.gpus),
    waitsByProject: groupBy(outcomes, ({ job }) => job.projectId),
    utilisation: used / (gpus * endMs),
    slowdown: slowdowns.reduce((sum, each) => sum + each, 0) / slowdowns.length,
  }
}

function rangeFigures(waited: readonly Outcome[]): Pick<MonthFigures, 'rangeCoverage' | 'rangeWidth'> {
  const ranges = waited.flatMap(({ range, ...one }) => (range ? [{ ...one, ...range }] : []))
  const hits = ranges.filter(
    ({ startedAt, earliest, latest }) => earliest - minute <= startedAt && startedAt <= latest + minute,
  )
  const widths = ranges.map((one) => (one.latest - one.earliest) / (one.startedAt - one.job.submittedAt))
  return { rangeCoverage: hits.length / Math.max(1, ranges.length), rangeWidth: percentile(widths, 0.5) }
}

/**
 * Returns the largest difference of a project's GPU time from its entitlement, as a share of the entitlement. A
 * project that requests less than its share is entitled to its request; the others divide the rest by weight.
 */
export function shareErrors(
  { days, nodes, projects, jobs }: MonthTrace,
  usedMs: ReadonlyMap<string, number>,
): { id: string; used: number; entitled: number }[] {
  const used = [...usedMs.values()].reduce((sum, each) => sum + each, 0)
  const gpus = nodes.reduce((sum, node) => sum + node.gpus.length, 0)
  const demands = new Map(projects.map(({ id }) => [id, 0]))
  for (const job of jobs)
    demands.set(job.projectId, (demands.get(job.projectId) ?? 0) + job.gpus * job.runsMs)
  let left = Math.min(used, gpus * days * 24 * 60 * minute)
  let open = [...projects]
  const entitled = new Map<string, number>()
  for (;;) {
    const weight = open.reduce((sum, each) => sum + each.weight, 0)
    const satisfied = open.filter((each) => (demands.get(each.id) ?? 0) <= (left * each.weight) / weight)
    for (const { id } of satisfied) {
      // The request of the last day is partly still to be served.
      entitled.set(id, usedMs.get(id) ?? 0)
      left -= usedMs.get(id) ?? 0
    }
    open = open.filter((each) => !satisfied.includes(each))
    if (satisfied.length > 0) continue
    for (const each of open) entitled.set(each.id, (left * each.weight) / weight)
    break
  }
  return projects.map(({ id }) => {
    return { id, used: (usedMs.get(id) ?? 0) / used, entitled: (entitled.get(id) ?? 0) / used }
  })
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function waitOf({ job, startedAt }: Outcome): number {
  return startedAt - job.submittedAt
}

function waitsOf(outcomes: readonly Outcome[]): Waits {
  const waits = outcomes.map(waitOf)
  return {
    jobs: waits.length,
    median: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    longest: percentile(waits, 1),
  }
}

function groupBy<Key extends number | string>(outcomes: readonly Outcome[], keyOf: (one: Outcome) => Key) {
  const groups = new Map<Key, Outcome[]>()
  for (const one of outcomes) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(sorted.map(([key, own]) => [key, waitsOf(own)]))
}
