import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { ProjectBoard } from '@/lib/project-boards/contract'
import { formatMetric } from '../jobs/list/job-cell'
import { Badge } from '../ui/badge'
import { formatNumber } from '../ui/format-number'
import { RelativeTime } from '../ui/relative-time'
import { ScrollRegion } from '../ui/scroll-region'
import { Cell, HeaderCell, TableBody, TableHead, TableRow } from '../ui/table'

/** The rows of a board. No row leads to a job. On narrow screens it scrolls sideways: stacked rows would hide who is next to whom. */
export function BoardTable({ board: { metric, rows } }: { board: ProjectBoard }) {
  return (
    // Positioned, because texts for screen readers would otherwise make the page longer.
    <ScrollRegion
      aria-label="Leaderboard"
      className="relative overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">Leaderboard</caption>
        <TableHead>
          <HeaderCell align="end" className="w-0">
            Rank
          </HeaderCell>
          <HeaderCell>Member</HeaderCell>
          <HeaderCell align="end">{visibleText(metric ?? '', 60)}</HeaderCell>
          <HeaderCell align="end">Jobs</HeaderCell>
          <HeaderCell>Best job ended</HeaderCell>
        </TableHead>
        <TableBody>
          {rows.map(({ rank, member, value, jobs, best_at, own }) => (
            <TableRow key={member} selected={own}>
              <Cell align="end" className="font-medium">
                {formatNumber(rank)}
              </Cell>
              <Cell className="min-w-36">
                <span className="flex items-center gap-2">
                  <span className="wrap-anywhere">{member}</span>
                  {own ? <Badge tone="accent">you</Badge> : null}
                </span>
              </Cell>
              <Cell align="end">
                <span title={String(value)}>{formatMetric(value)}</span>
              </Cell>
              <Cell align="end" className="text-muted">
                {formatNumber(jobs)}
              </Cell>
              <Cell className="whitespace-nowrap text-muted">
                <RelativeTime at={best_at} />
              </Cell>
            </TableRow>
          ))}
        </TableBody>
      </table>
    </ScrollRegion>
  )
}
