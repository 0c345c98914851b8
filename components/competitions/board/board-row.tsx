import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Minus } from 'lucide-react'
import { memo } from 'react'
import type { ColumnOfBoard } from '@/lib/competitions/contract'
import type { BoardRow as Row } from '@/lib/competitions/contract-boards'
import { Badge } from '../../ui/badge'
import { cn } from '../../ui/class-names'
import { formatNumber } from '../../ui/format-number'
import { RelativeTime } from '../../ui/relative-time'
import { type BoardRequest, boardPageQuery, boardPageSize } from '../queries'

export const rowHeight = 36

interface BoardRowProps {
  /** Its place in the table; absent: it repeats a row. */
  at?: number
  /** Undefined: it is being read. */
  row: Row | undefined
  columns: readonly ColumnOfBoard[]
  rankBy: string
}

const cell = 'h-9 border-b px-3 first:pl-4 last:pr-4'

/** A row of a board. */
export const BoardRow = memo(function BoardRow({ at, row, columns, rankBy }: BoardRowProps) {
  const index = at === undefined ? {} : { 'aria-rowindex': at + 2 }
  if (!row)
    return (
      <tr {...index} style={{ height: rowHeight }}>
        <td colSpan={columns.length + 5} className={cn(cell, 'text-subtle')}>
          Loading…
        </td>
      </tr>
    )
  const { rank, change, team, kind, values, entries, best_at, own } = row
  return (
    <tr
      {...index}
      style={{ height: rowHeight }}
      className={cn(own ? 'bg-accent-soft' : 'hover:bg-hover', at === undefined && '[&>td]:border-t')}
    >
      <td className={cn(cell, 'text-right font-medium tabular-nums')}>
        {rank === null ? <span className="text-subtle">–</span> : formatNumber(rank)}
      </td>
      <td className={cell}>{rank === null ? null : <Change change={change} />}</td>
      <td className={cell}>
        <span className="flex items-center gap-2">
          <span title={team} className="max-w-56 truncate max-sm:max-w-36">
            {team}
          </span>
          {own ? <Badge tone="accent">you</Badge> : null}
          {kind === 'baseline' ? <Badge>baseline</Badge> : null}
        </span>
      </td>
      {columns.map(({ name }) => (
        <td
          key={name}
          className={cn(cell, 'text-right tabular-nums', name === rankBy ? 'font-medium' : 'text-muted')}
        >
          {values[name] ?? '–'}
        </td>
      ))}
      <td className={cn(cell, 'text-right text-muted tabular-nums')}>{formatNumber(entries)}</td>
      <td className={cn(cell, 'whitespace-nowrap text-muted')}>
        <RelativeTime at={best_at} />
      </td>
    </tr>
  )
})

interface LaterRowProps extends Omit<BoardRowProps, 'row'> {
  at: number
  request: BoardRequest
  /** The state of the board. */
  version: string
}

/** A row that the first answer does not have. Rows of the same part share one request. */
export function LaterRow({ request, version, ...props }: LaterRowProps) {
  const part = useQuery(boardPageQuery(request, Math.floor(props.at / boardPageSize), version))
  return <BoardRow {...props} row={part.data?.rows[props.at % boardPageSize]} />
}

/** Places won or lost since yesterday. */
function Change({ change }: { change: number | null }) {
  if (change === null) return <span className="text-info-ink text-xs">new</span>
  if (change === 0) return <Minus role="img" aria-label="as yesterday" className="size-3 text-subtle" />
  const Icon = change > 0 ? ArrowUp : ArrowDown
  return (
    <span
      className={cn(
        'inline-flex items-center align-middle text-xs tabular-nums',
        change > 0 ? 'text-success-ink' : 'text-danger-ink',
      )}
    >
      <Icon aria-hidden className="size-3" />
      <span className="sr-only">{change > 0 ? 'up ' : 'down '}</span>
      {formatNumber(Math.abs(change))}
    </span>
  )
}
