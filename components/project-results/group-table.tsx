import { visibleText } from '@/lib/contract/text/sanitize-text'
import { bestOf } from '@/lib/metrics/contract-best-value'
import { groupLabel } from '@/lib/metrics/contract-group-label'
import { groupRows, summaryOf } from '@/lib/metrics/contract-group-rows'
import { SummaryValue } from '../metrics/summary-value'
import { formatNumber } from '../ui/format-number'
import { Cell, HeaderCell, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { bestIn, type ResultsView } from './results-view'
import type { ShownRow } from './shown-row'

interface GroupTableProps {
  rows: readonly ShownRow[]
  /** By what they are grouped. */
  group: string
  metrics: readonly string[]
  view: Pick<ResultsView, 'best'>
}

/** The jobs of each group together: their number, and the mean and the spread of each metric. */
export function GroupTable({ rows, group, metrics, view }: GroupTableProps) {
  const groups = groupRows(
    rows.map(({ group: value, metrics: values }) => ({
      key: value === null ? '' : `=${value}`,
      values,
    })),
    metrics,
  )
  const best = new Map(
    metrics.map((name) => [
      name,
      bestOf(
        groups.map((own) => summaryOf(own, name)?.mean),
        bestIn(view, name),
      ),
    ]),
  )
  return (
    <div className="border-b">
      <Table caption={`Groups by ${groupLabel(group)}`}>
        <TableHead>
          <HeaderCell>{visibleText(groupLabel(group), 60)}</HeaderCell>
          <HeaderCell align="end">Jobs</HeaderCell>
          {metrics.map((name) => (
            <HeaderCell key={name} align="end">
              {visibleText(name, 60)}
            </HeaderCell>
          ))}
        </TableHead>
        <TableBody>
          {groups.map((own) => (
            <TableRow key={own.key}>
              <Cell className="font-medium">
                {own.key === '' ? (
                  <span className="text-muted">no value</span>
                ) : (
                  visibleText(own.key.slice(1), 200)
                )}
              </Cell>
              <Cell label="Jobs" align="end">
                {formatNumber(own.count)}
              </Cell>
              {metrics.map((name) => (
                <Cell key={name} label={visibleText(name, 60)} align="end">
                  <SummaryValue
                    summary={summaryOf(own, name)}
                    isBest={summaryOf(own, name)?.mean === best.get(name)}
                    jobs={own.count}
                  />
                </Cell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
      <p className="px-4 py-2 text-muted text-xs">
        Mean ± sample standard deviation of the last values; of two jobs, the mean and both values. Where
        fewer jobs have a value, n says how many.
      </p>
    </div>
  )
}
