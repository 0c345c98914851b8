import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ColumnOfBoard } from '@/lib/competitions/contract'
import type { Board } from '@/lib/competitions/contract-boards'
import { RowsInView } from '../../jobs/result/rows-in-view'
import { Badge } from '../../ui/badge'
import { cn } from '../../ui/class-names'
import { ScrollRegion } from '../../ui/scroll-region'
import { type BoardRequest, boardPageSize, versionOf } from '../queries'
import { BoardRow, LaterRow, rowHeight } from './board-row'

/** Longer boards scroll. Below them, the own row stays visible. */
const rowsWithoutScrolling = 15

interface BoardTableProps {
  request: BoardRequest
  /** The first rows. */
  board: Board
}

/** A board of any length: only the rows in view are in the page, and their parts are read when they come into view. */
export function BoardTable({ request, board }: BoardTableProps) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const { total, rows, columns, own, rank_by: rankBy } = board
  const version = versionOf(board)
  return (
    // Positioned, because texts for screen readers would otherwise make the page longer.
    <ScrollRegion
      ref={setScroller}
      aria-label="Leaderboard"
      className="relative max-h-[40rem] overflow-auto focus-visible:-outline-offset-2"
    >
      <table
        aria-rowcount={total + 1}
        className="min-w-full border-separate border-spacing-0 text-left text-sm"
      >
        <caption className="sr-only">Leaderboard</caption>
        <thead className="sticky top-0 z-1 bg-sunken">
          <tr aria-rowindex={1}>
            <Heading end narrow>
              Rank
            </Heading>
            <Heading narrow>
              <span className="sr-only">Change since yesterday</span>
            </Heading>
            <Heading>Team</Heading>
            {columns.map((column) => (
              <Heading key={column.name} end>
                <ColumnTitle column={column} ranks={column.name === rankBy} />
              </Heading>
            ))}
            <Heading end>Entries</Heading>
            <Heading>Received</Heading>
          </tr>
        </thead>
        <RowsInView scroller={scroller} count={total} rowHeight={rowHeight}>
          {(at) =>
            at < boardPageSize ? (
              <BoardRow key={at} at={at} row={rows[at]} {...{ columns, rankBy }} />
            ) : (
              <LaterRow key={at} at={at} {...{ request, version, columns, rankBy }} />
            )
          }
        </RowsInView>
        {own && total > rowsWithoutScrolling ? (
          <tfoot className="sticky bottom-0 z-1 bg-surface">
            <BoardRow row={own} {...{ columns, rankBy }} />
          </tfoot>
        ) : null}
      </table>
    </ScrollRegion>
  )
}

interface HeadingProps {
  end?: boolean
  /** No wider than its content. */
  narrow?: boolean
  children: ReactNode
}

function Heading({ end = false, narrow = false, children }: HeadingProps) {
  return (
    <th
      scope="col"
      className={cn(
        'h-9 whitespace-nowrap border-b px-3 font-medium text-muted text-xs first:pl-4 last:pr-4',
        end && 'text-right',
        narrow && 'w-0',
      )}
    >
      {children}
    </th>
  )
}

function ColumnTitle({ column, ranks }: { column: ColumnOfBoard; ranks: boolean }) {
  const { name, order, split } = column
  const better = order === 'desc' ? 'higher is better' : 'lower is better'
  const Arrow = order === 'desc' ? ArrowUp : ArrowDown
  return (
    <span
      title={ranks ? `${better}; decides the rank` : better}
      className={cn('inline-flex items-center gap-1', ranks && 'text-ink')}
    >
      {split === 'private' ? <Badge>private</Badge> : null}
      {name}
      <Arrow aria-hidden className="size-3 text-subtle" />
      <span className="sr-only">
        , {better}
        {ranks ? ', decides the rank' : ''}
      </span>
    </span>
  )
}
