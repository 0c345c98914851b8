import type { Usage } from '@/lib/accounting/contract'
import { DataList, Datum } from '../ui/data-list'
import { formatNumber } from '../ui/format-number'
import { endedJobs, formatEfficiency, formatHours, formatWait } from './format-usage'

/** The sums of a range. */
export function UsageSummary({ usage }: { usage: Usage }) {
  return (
    <DataList className="grid-cols-2 p-4 sm:grid-cols-3 xl:grid-cols-6">
      <Datum label="GPU hours">{formatHours(usage.gpu_hours)}</Datum>
      <Datum label="Efficiency (used of reserved)">{formatEfficiency(usage.efficiency)}</Datum>
      <Datum label="Idle GPU hours">{formatHours(usage.idle_gpu_hours)}</Datum>
      <Datum label="Ended jobs">
        {formatNumber(endedJobs(usage))}
        {usage.failed > 0 ? ` (${formatNumber(usage.failed)} failed)` : ''}
      </Datum>
      <Datum label="Median wait">{formatWait(usage.median_wait_s)}</Datum>
      <Datum label="90% waited at most">{formatWait(usage.p90_wait_s)}</Datum>
    </DataList>
  )
}
