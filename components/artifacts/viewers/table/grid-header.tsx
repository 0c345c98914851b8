import { ArrowDown, ArrowUp } from 'lucide-react'
import { cn } from '@/components/ui/class-names'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { Span, TableColumn } from './engine/table-messages'
import type { GridCell, TableSort } from './grid-layout'

/** The height of the header in pixels. */
export function headerHeight(withFilters: boolean): number {
  return withFilters ? 76 : 44
}

interface GridHeaderProps {
  gridId: string
  columns: readonly TableColumn[]
  starts: readonly number[]
  /** The columns in view. */
  shown: Span
  sort: TableSort | null
  onSort: (column: number) => void
  filters: ReadonlyMap<number, string> | null
  onFilter: (column: number, text: string) => void
  active: GridCell
  onActive: (cell: GridCell) => void
}

/** The names and types of the columns, and their filters. */
export function GridHeader(props: GridHeaderProps) {
  const { columns, starts, shown, filters } = props
  return (
    <thead
      className="sticky top-0 z-1 block border-b bg-sunken"
      style={{ height: headerHeight(filters !== null) }}
    >
      <tr aria-rowindex={1} className="block">
        {columns.slice(...shown).map((column, nth) => {
          const index = shown[0] + nth
          const [left = 0, right = 0] = starts.slice(index, index + 2)
          return (
            <HeaderCell
              key={index}
              {...props}
              column={column}
              index={index}
              left={left}
              width={right - left}
            />
          )
        })}
      </tr>
    </thead>
  )
}

interface HeaderCellProps extends GridHeaderProps {
  column: TableColumn
  index: number
  left: number
  width: number
}

function HeaderCell(props: HeaderCellProps) {
  const { column, index, left, width, gridId, sort, onSort, filters, onFilter, active, onActive } = props
  const sorted = sort?.column === index ? sort : null
  const Icon = sorted?.descending ? ArrowDown : ArrowUp
  const name = visibleText(column.name, 100)
  const isActive = active.row === -1 && active.column === index
  return (
    <th
      id={`${gridId}--1-${index}`}
      scope="col"
      aria-colindex={index + 1}
      aria-sort={sorted === null ? undefined : sorted.descending ? 'descending' : 'ascending'}
      className={cn(
        'absolute inset-y-0 block font-normal',
        isActive && 'group-focus-visible/grid:bg-accent-soft',
      )}
      style={{ left, width }}
    >
      <button
        type="button"
        // The grid is one stop of the Tab key: Enter sorts by the active column.
        tabIndex={-1}
        title={name}
        onClick={() => {
          onActive({ row: -1, column: index })
          onSort(index)
        }}
        className="group/sort flex h-11 w-full flex-col justify-center px-3 text-left hover:text-ink"
      >
        <span className="flex w-full items-center gap-1 font-medium text-ink">
          <span className="min-w-0 truncate">{name}</span>
          <Icon
            aria-hidden
            className={cn('size-3 shrink-0', sorted === null && 'opacity-0 group-hover/sort:opacity-60')}
          />
        </span>
        <span className="truncate text-muted">{column.type}</span>
      </button>
      {filters === null ? null : (
        <input
          aria-label={`Filter ${name}`}
          placeholder={column.type === 'number' ? '> 0.5' : 'Filter'}
          autoComplete="off"
          spellCheck={false}
          value={filters.get(index) ?? ''}
          onChange={(event) => onFilter(index, event.target.value)}
          className="mx-1.5 h-7 w-[calc(100%-0.75rem)] rounded-sm border border-line-strong bg-surface px-1.5 text-ink placeholder:text-subtle"
        />
      )}
    </th>
  )
}
