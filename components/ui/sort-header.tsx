import { ArrowDown, ArrowUp } from 'lucide-react'
import { HeaderCell } from './table'

interface SortHeaderProps {
  label: string
  /** A column of numbers: at the end of its place, and sorted from the highest first. */
  end: boolean
  /** How the rows are sorted by this column; null: by another. */
  ascending: boolean | null
  /** Asks for an order by this column. */
  onSort: (ascending: boolean) => void
}

/** The heading of a column. A click sorts by it, and another one sorts the other way round. */
export function SortHeader({ label, end, ascending, onSort }: SortHeaderProps) {
  const Arrow = ascending ? ArrowUp : ArrowDown
  const sorted = ascending === null ? undefined : ascending ? 'ascending' : 'descending'
  return (
    <HeaderCell align={end ? 'end' : 'start'} sorted={sorted}>
      <button
        type="button"
        title={`Sort by ${label}`}
        // Numbers are sorted from the highest, names from the first.
        onClick={() => onSort(ascending === null ? !end : !ascending)}
        className="-mx-1 inline-flex min-h-6 items-center gap-1 rounded-sm px-1 hover:text-ink"
      >
        {label}
        {ascending === null ? null : <Arrow aria-hidden className="size-3 shrink-0" />}
      </button>
    </HeaderCell>
  )
}
