import { type BestValue, bestOf, guessBest } from '@/lib/metrics/contract-best-value'
import {
  type GroupedRow,
  groupRows,
  type RowGroup,
  type Summary,
  summaryOf,
} from '@/lib/metrics/contract-group-rows'
import { sortNames } from '../jobs/list/sort-names'
import type { JobGroup } from '../metrics/group-lines'

/** The last values of a metric. */
export interface FinalRow {
  metric: string
  /** Which value is the best; null: none, because it is a counter. */
  best: BestValue | null
  /** What the jobs of each group have; null: no job has the metric. */
  cells: (FinalCell | null)[]
  differs: boolean
}

interface FinalCell {
  summary: Summary
  isBest: boolean
}

/** A job with its last values by metric. */
interface JobValues {
  id: string
  values: GroupedRow['values']
}

/**
 * The last values of the metrics in groups of jobs. A group may have one job.
 * @param turned the metrics of which the best value is not the one that their names suggest
 */
export function finalRows(
  jobs: readonly JobValues[],
  groups: readonly Pick<JobGroup, 'id' | 'jobs'>[],
  turned: readonly string[],
): FinalRow[] {
  const metrics = sortNames([...new Set(jobs.flatMap(({ values }) => Object.keys(values)))])
  const rows = groups.flatMap((group) =>
    jobs.filter(({ id }) => group.jobs.includes(id)).map(({ values }) => ({ key: group.id, values })),
  )
  const columns = groupRows(rows, metrics)
  return metrics.map((metric) => toRow(metric, columns, turned.includes(metric)))
}

function toRow(metric: string, columns: readonly RowGroup[], turned: boolean): FinalRow {
  const summaries = columns.map((column) => summaryOf(column, metric))
  const means = summaries.map((summary) => summary?.mean)
  const guessed = guessBest(metric)
  const best = guessed && turned ? opposite[guessed] : guessed
  const bestMean = bestOf(means, best)
  return {
    metric,
    best,
    cells: summaries.map((summary) => (summary ? { summary, isBest: summary.mean === bestMean } : null)),
    differs: new Set(means).size > 1,
  }
}

const opposite = { lowest: 'highest', highest: 'lowest' } as const satisfies Record<BestValue, BestValue>
