import { bestOf } from '@/lib/contract/metrics/best-value'
import { groupRows, type RowGroup } from '@/lib/contract/metrics/group-rows'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { formatMetric } from '../jobs/list/job-cell'
import { formatNumber } from '../ui/format-number'
import { Cell, HeaderCell, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { BestMark } from './best-mark'
import { bestIn, groupLabel, type ResultsView } from './results-view'
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
        groups.map(({ metrics: own }) => own[name]?.mean),
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
                  <Mean group={own} metric={name} best={best.get(name)} />
                </Cell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
      <p className="px-4 py-2 text-muted text-xs">
        Mean ± sample standard deviation of the last values. Where fewer jobs have a value, n says how many.
      </p>
    </div>
  )
}

interface MeanProps {
  group: RowGroup
  metric: string
  /** The best mean of all groups; undefined: none is better. */
  best: number | undefined
}

function Mean({ group: { count, metrics }, metric, best }: MeanProps) {
  const summary = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined
  if (!summary) return '–'
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-x-1.5">
      {summary.mean === best ? <BestMark /> : null}
      <span>
        {formatMetric(summary.mean)}
        {summary.spread === undefined ? null : (
          <span className="text-muted"> ± {formatSpread(summary.spread)}</span>
        )}
      </span>
      {summary.count === count ? null : (
        <span className="text-subtle text-xs">n = {formatNumber(summary.count)}</span>
      )}
    </span>
  )
}

/** Two digits are enough to judge a difference. */
const formatSpread = (spread: number) => String(Number(spread.toPrecision(2)))
