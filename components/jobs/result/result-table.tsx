import {
  type ColumnDef,
  createColumnHelper,
  createSortedRowModel,
  type Header,
  type Row,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useMemo, useState } from 'react'
import { cn } from '@/components/ui/class-names'
import { ScrollRegion } from '@/components/ui/scroll-region'
import { numberOf } from '@/lib/contract/output/printed-json'
import { type ColumnLayout, cellText, compareCells, layOutColumns } from './cells'
import type { TableShape } from './detect-shape'
import { showText } from './json-text'
import { RowsInView } from './rows-in-view'

type Cells = readonly unknown[]

const rowHeight = 32
const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() })
type Features = typeof features
const columnHelper = createColumnHelper<Features, Cells>()

/** Results as a sortable table. */
export function ResultTable({ shape }: { shape: TableShape }) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const table = useSortedTable(shape)
  const { rows } = table.getRowModel()
  const layouts = useMemo(() => layOutColumns(shape), [shape])
  const width = layouts.reduce((sum, layout) => sum + layout.width, 0)
  return (
    <ScrollRegion
      ref={setScroller}
      aria-label="Results as a table"
      className="min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
    >
      <table
        aria-rowcount={shape.rows.length + 1}
        className="min-w-full table-fixed border-separate border-spacing-0 text-left text-sm"
        style={{ width: `calc(${width}ch + ${layouts.length * 1.5}rem)` }}
      >
        <colgroup>
          {table.getFlatHeaders().map(({ id }, column) => (
            <col key={id} style={{ width: `calc(${layouts[column]?.width ?? 0}ch + 1.5rem)` }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-1">
          <tr aria-rowindex={1}>
            {table.getFlatHeaders().map((header, column) => (
              <SortableHeader key={header.id} header={header} numeric={layouts[column]?.numeric ?? false} />
            ))}
          </tr>
        </thead>
        <RowsInView scroller={scroller} count={rows.length} rowHeight={rowHeight}>
          {(index) => {
            const row = rows[index]
            return row ? <DataRow key={row.id} row={row} index={index} layouts={layouts} /> : null
          }}
        </RowsInView>
      </table>
    </ScrollRegion>
  )
}

function useSortedTable(shape: TableShape) {
  const [sorting, setSorting] = useState<SortingState>([])
  const columns = useMemo(() => makeColumns(shape), [shape])
  // The table's type requires a mutable list, although it only reads it.
  const data = useMemo(() => [...shape.rows], [shape])
  return useTable({ features, data, columns, state: { sorting }, onSortingChange: setSorting })
}

/** Columns have an index as id: a name could be anything, even `__proto__`. */
function makeColumns({ columns }: TableShape): ColumnDef<Features, Cells, unknown>[] {
  return columns.map((name, column) =>
    columnHelper.accessor((row) => row[column], {
      id: `column-${column}`,
      header: showText(name),
      sortUndefined: 'last',
      sortFn: (one, other, id) => compareCells(one.getValue(id), other.getValue(id)),
    }),
  )
}

function SortableHeader({ header, numeric }: { header: Header<Features, Cells, unknown>; numeric: boolean }) {
  const { column } = header
  const sorted = column.getIsSorted()
  const Icon = sorted === 'desc' ? ArrowDown : ArrowUp
  const name = String(column.columnDef.header)
  return (
    <th
      scope="col"
      aria-sort={sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
      className="border-b bg-sunken p-0"
    >
      <button
        type="button"
        title={name}
        onClick={column.getToggleSortingHandler()}
        className={cn(
          'group/sort flex h-8 w-full items-center gap-1 px-3 font-medium text-muted text-xs hover:text-ink',
          'focus-visible:-outline-offset-2',
          numeric && 'flex-row-reverse',
        )}
      >
        <span className="min-w-0 truncate">{name}</span>
        <Icon
          aria-hidden
          className={cn('size-3 shrink-0', sorted === false && 'opacity-0 group-hover/sort:opacity-60')}
        />
      </button>
    </th>
  )
}

interface DataRowProps {
  row: Row<Features, Cells>
  index: number
  layouts: readonly ColumnLayout[]
}

function DataRow({ row, index, layouts }: DataRowProps) {
  return (
    <tr aria-rowindex={index + 2} className="h-8 hover:bg-hover">
      {row.getAllCells().map((cell, column) => {
        const value = cell.getValue()
        const text = cellText(value)
        const isNumber = numberOf(value) !== null
        const faint = value === null || value === undefined || (typeof value === 'object' && !isNumber)
        return (
          <td
            key={cell.id}
            title={text.length > 24 ? text : undefined}
            className={cn(
              'truncate border-b px-3',
              layouts[column]?.numeric && 'text-right',
              isNumber && 'font-mono text-xs tabular-nums',
              faint && 'font-mono text-subtle text-xs',
            )}
          >
            {text}
          </td>
        )
      })}
    </tr>
  )
}
