import { ArrowDown, ArrowUp } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { updateSearchParams } from '@/components/shell/update-search-params'
import { CopyButton } from '@/components/ui/copy-button'
import { IconButton } from '@/components/ui/icon-button'
import { Panel, PanelHeader } from '@/components/ui/panel'
import type { JobDetail } from '@/lib/contract/jobs'
import { readTurned, turnBest } from '../jobs/compare-path'
import { showText } from '../jobs/result/json-text'
import type { JobGroup } from '../metrics/group-lines'
import type { MetricsJob } from '../metrics/metrics-view'
import { SummaryValue } from '../metrics/summary-value'
import { type ComparisonColumn, ComparisonTable } from './comparison-table'
import { type FinalRow, finalRows } from './final-rows'

interface FinalMetricsProps {
  details: readonly JobDetail[]
  jobs: readonly MetricsJob[]
  /** Null: each job has a column of its own. */
  groups: readonly JobGroup[] | null
}

/** The last values of the metrics, with the best of each row. */
export function FinalMetrics({ details, jobs, groups }: FinalMetricsProps) {
  const address = new URLSearchParams(useSearchParams())
  const rows = finalRows(
    details.map(({ job_id, metrics }) => ({ id: job_id, values: metrics })),
    groups ?? jobs.map(({ id }) => ({ id, jobs: [id] })),
    readTurned(address),
  )
  if (rows.length === 0) return null
  const columns: readonly ComparisonColumn[] =
    groups?.map((group) => ({ ...group, note: `n = ${group.jobs.length}` })) ?? jobs
  return (
    <Panel>
      <PanelHeader
        title="Final metrics"
        description={
          groups
            ? 'The mean of the last values and their standard deviation; of two jobs, the mean and both values'
            : 'The last value of each metric, at most 64 for each job'
        }
        actions={<CopyButton text={toText(rows, columns, groups !== null)} label="Copy the table" />}
      />
      <ComparisonTable
        caption="Final metrics"
        heading="Metric"
        columns={columns}
        rows={rows.map((row) => ({
          name: showText(row.metric),
          differs: row.differs,
          action: columns.length > 1 && row.best !== null && (
            <TurnBest row={row} onTurn={() => updateSearchParams(turnBest(address, row.metric), 'replace')} />
          ),
          cells: row.cells.map(
            (cell, at) =>
              cell && <SummaryValue key={columns[at]?.id} {...cell} jobs={groups?.[at]?.jobs.length} />,
          ),
        }))}
        numeric
      />
    </Panel>
  )
}

/** Shows which value of a metric is the best, and chooses the other one. */
function TurnBest({ row: { metric, best }, onTurn }: { row: FinalRow; onTurn: () => void }) {
  const [icon, other] = best === 'lowest' ? ([ArrowDown, 'highest'] as const) : ([ArrowUp, 'lowest'] as const)
  return (
    <IconButton
      icon={icon}
      size="sm"
      label={`The ${best} ${showText(metric)} is the best. Mark the ${other}`}
      onClick={onTurn}
    />
  )
}

/** The table with tabs. A group has a column for each of its numbers, so that a spreadsheet can use them. */
function toText(rows: readonly FinalRow[], columns: readonly ComparisonColumn[], grouped: boolean): string {
  const headings = columns.flatMap(({ label }) =>
    grouped ? ['mean', 'standard deviation', 'n'].map((name) => `${label} ${name}`) : [label],
  )
  const lines = rows.map(({ metric, cells }) => [
    showText(metric),
    ...cells.flatMap((cell) => {
      if (!grouped) return [cell?.summary.mean ?? '']
      return cell ? [cell.summary.mean, cell.summary.spread ?? '', cell.summary.count] : ['', '', 0]
    }),
  ])
  return [['metric', ...headings], ...lines].map((line) => line.join('\t')).join('\n')
}
