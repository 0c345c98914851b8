import type { ReactNode } from 'react'
import { Badge } from '@/components/ui/badge'
import { formatNumber } from '@/components/ui/format-number'
import type { Summary } from '@/lib/metrics/contract-group-rows'
import { formatValue } from '../jobs/result/chart-series'
import { formatSummary } from './summary-text'

const none = '–'

interface MetricValueProps {
  /** Undefined: the job has not printed the metric. */
  value: number | undefined
  isBest: boolean
}

/** The last value of a metric of a job. The best one is marked. */
export function MetricValue({ value, isBest }: MetricValueProps) {
  return value === undefined ? none : <Marked isBest={isBest} text={formatValue(value)} />
}

interface SummaryValueProps {
  /** Undefined: no job has printed the metric. */
  summary: Summary | undefined
  isBest: boolean
  /** The number of jobs in the group. If fewer have a value, the text says how many; absent: it is a single job. */
  jobs?: number | undefined
}

/** The mean of a metric in a group of jobs with its spread. The best one is marked. */
export function SummaryValue({ summary, isBest, jobs }: SummaryValueProps) {
  if (!summary) return none
  const { count } = summary
  return (
    <Marked isBest={isBest} text={formatSummary(summary)}>
      {jobs !== undefined && count < jobs ? (
        <span className="text-subtle text-xs">n = {formatNumber(count)}</span>
      ) : null}
    </Marked>
  )
}

function Marked({ isBest, text, children }: { isBest: boolean; text: string; children?: ReactNode }) {
  return (
    <span className="inline-flex items-center justify-end gap-2 whitespace-nowrap">
      {isBest ? <Badge tone="success">best</Badge> : null}
      {text}
      {children}
    </span>
  )
}
