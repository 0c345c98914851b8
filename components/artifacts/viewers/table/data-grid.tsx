import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { cn } from '@/components/ui/class-names'
import { copyWithToast } from '@/components/ui/copy-text'
import { showText } from '../../../jobs/result/json-text'
import type { Span, TableColumn } from './engine/table-messages'
import { GridHeader, headerHeight } from './grid-header'
import {
  columnStarts,
  columnsInView,
  type GridCell,
  layOutRows,
  moveInGrid,
  rowHeight,
  scrollTopFor,
  type TableSort,
} from './grid-layout'
import type { TableClient } from './table-client'
import { useElementView } from './use-element-view'
import { useGridCells } from './use-grid-cells'

interface DataGridProps {
  label: string
  client: TableClient
  columns: readonly TableColumn[]
  /** The rows that match. */
  count: number
  /** Changes when the rows change. */
  version: unknown
  sort: TableSort | null
  onSort: (column: number) => void
  /** Null: no row of filters. */
  filters: ReadonlyMap<number, string> | null
  onFilter: (column: number, text: string) => void
  active: GridCell
  onActive: (cell: GridCell) => void
}

/** Cells in rows and columns, of which only those in view are rendered. The keyboard moves the active cell. */
export function DataGrid(props: DataGridProps) {
  const { label, client, columns, count, version, active, onActive, onSort, filters } = props
  const gridId = useId()
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const view = useElementView(scroller)
  const starts = useMemo(() => columnStarts(columns.map(({ width }) => width)), [columns])
  const top = headerHeight(filters !== null)
  const viewHeight = Math.max(rowHeight, view.height - top)
  const { height, rows, shift } = layOutRows(count, view.top, viewHeight)
  const shown = columnsInView(starts, view.left, Math.max(view.width, 1))
  const textAt = useGridCells(client, rows, shown, count, version)

  // Cells outside of the view do not exist.
  const isShown = ({ row, column }: GridCell) => (row === -1 || isIn(row, rows)) && isIn(column, shown)
  const moveTo = (cell: GridCell) => {
    onActive(cell)
    if (!scroller) return
    if (cell.row >= 0) scroller.scrollTop = scrollTopFor(cell.row, count, scroller.scrollTop, viewHeight)
    const [start = 0, end = 0] = starts.slice(cell.column, cell.column + 2)
    if (start < scroller.scrollLeft) scroller.scrollLeft = start
    else if (end > scroller.scrollLeft + view.width) scroller.scrollLeft = Math.min(start, end - view.width)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // The filters have keys of their own.
    if (event.target !== event.currentTarget || event.altKey) return
    const ctrl = event.ctrlKey || event.metaKey
    const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 1)
    const next = moveInGrid(active, event.key, { rows: count, columns: columns.length, page, ctrl })
    if (next) moveTo(next)
    else if (event.key === 'Enter' || event.key === ' ') onSort(active.column)
    else if (ctrl && event.key === 'c' && !hasSelection())
      void client.cell(active.row, active.column).then((text) => copyWithToast(text, 'Cell'))
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={setScroller}
      className="relative min-h-40 overflow-auto rounded-md border bg-surface [overflow-anchor:none] has-[table:focus-visible]:outline-2 has-[table:focus-visible]:outline-accent has-[table:focus-visible]:-outline-offset-2"
      // With a place for the horizontal scroll bar.
      style={{ height: `min(60dvh, ${top + height + 20}px)` }}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the keyboard moves between the cells, as in the ARIA grid pattern
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-colcount={columns.length}
        aria-activedescendant={isShown(active) ? `${gridId}-${active.row}-${active.column}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="group/grid relative block min-w-full font-mono text-xs outline-none"
        style={{ height: top + height, width: starts.at(-1) }}
      >
        <GridHeader {...props} gridId={gridId} starts={starts} shown={shown} />
        <tbody className="block">
          {numbersIn(rows).map((row) => (
            <tr
              key={row}
              aria-rowindex={row + 2}
              className="absolute left-0 block w-full border-b hover:bg-hover"
              style={{ top: top + row * rowHeight + shift, height: rowHeight }}
            >
              {numbersIn(shown).map((column) => (
                <Cell
                  key={column}
                  id={`${gridId}-${row}-${column}`}
                  column={column}
                  text={textAt(row, column)}
                  numeric={columns[column]?.type === 'number'}
                  active={active.row === row && active.column === column}
                  style={{ left: starts[column], width: (starts[column + 1] ?? 0) - (starts[column] ?? 0) }}
                  onPress={() => onActive({ row, column })}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface CellProps {
  id: string
  column: number
  text: string | undefined
  numeric: boolean
  active: boolean
  style: { left: number | undefined; width: number }
  onPress: () => void
}

/** The grid has the focus and handles keys for its cells. */
function Cell({ id, column, text, numeric, active, style, onPress }: CellProps) {
  return (
    <td
      id={id}
      aria-colindex={column + 1}
      onMouseDown={onPress}
      className={cn(
        'absolute inset-y-0 block truncate whitespace-pre px-3 leading-7',
        numeric && 'text-right tabular-nums',
        active &&
          'bg-accent-soft group-focus-visible/grid:ring-1 group-focus-visible/grid:ring-accent group-focus-visible/grid:ring-inset',
      )}
      style={style}
    >
      {text === undefined ? <span className="text-subtle">…</span> : showText(text.replace(/[\r\n\t]/g, ' '))}
    </td>
  )
}

function isIn(number: number, [from, to]: Span): boolean {
  return number >= from && number < to
}

function numbersIn([from, to]: Span): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}

function hasSelection(): boolean {
  return (getSelection()?.toString() ?? '') !== ''
}
