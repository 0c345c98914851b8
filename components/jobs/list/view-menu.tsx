import { useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { suggestionsQuery } from '@/components/queries/job-search'
import {
  type ColumnName,
  columnLabel,
  type JobColumnName,
  jobColumnNames,
  metricOf,
  sortOf,
} from '@/lib/contract/job-columns'
import { activeFirst } from '@/lib/contract/search/sort'
import { Button } from '../../ui/button'
import {
  DropdownMenu,
  MenuCheckbox,
  MenuChoice,
  MenuItem,
  MenuLabel,
  MenuSeparator,
} from '../../ui/dropdown-menu'
import { type Density, densities } from './list-settings'
import { sortNames } from './sort-names'

interface ViewMenuProps {
  everyone: boolean
  columns: readonly ColumnName[]
  onColumns: (columns: readonly ColumnName[] | null) => void
  density: Density
  onDensity: (density: Density) => void
  /** Null: active jobs first. */
  sort: string | null
  onSort: (sort: string | null) => void
}

const densityOptions = densities.map((value) => ({
  value,
  label: value === 'compact' ? 'Compact rows' : 'Comfortable rows',
}))

/** How the list looks: its order, its columns and the height of its rows. */
export function ViewMenu({ everyone, columns, onColumns, density, onDensity, sort, onSort }: ViewMenuProps) {
  return (
    <DropdownMenu
      className="w-60"
      trigger={
        <Button icon={SlidersHorizontal} className="max-sm:flex-1">
          View
        </Button>
      }
    >
      <MenuLabel>Sort by</MenuLabel>
      <MenuChoice
        label="Sort by"
        value={sort ?? activeFirst}
        options={sortOptions(columns)}
        onValueChange={(chosen) => onSort(chosen === activeFirst ? null : chosen)}
      />
      <MenuSeparator />
      <MenuLabel>Columns</MenuLabel>
      {jobColumnNames
        .filter((column) => everyone || column !== 'user')
        .map((column) => (
          <ColumnItem key={column} column={column} columns={columns} onColumns={onColumns} />
        ))}
      <MetricItems everyone={everyone} columns={columns} onColumns={onColumns} />
      <MenuItem onSelect={() => onColumns(null)}>Default columns</MenuItem>
      <MenuSeparator />
      <MenuLabel>Rows</MenuLabel>
      <MenuChoice label="Rows" value={density} options={densityOptions} onValueChange={onDensity} />
    </DropdownMenu>
  )
}

/** Both directions of each visible column that can be sorted. */
function sortOptions(columns: readonly ColumnName[]) {
  const amounts = columns.flatMap((column) => {
    const key = sortOf(column)
    const label = columnLabel(column)
    if (key === null || key === 'submitted') return []
    return [
      { value: `-${key}`, label: `${label}, largest first` },
      { value: key, label: `${label}, smallest first` },
    ]
  })
  return [
    { value: activeFirst, label: 'Active first' },
    { value: '-submitted', label: 'Newest first' },
    { value: 'submitted', label: 'Oldest first' },
    ...amounts,
  ]
}

type ColumnItemsProps = Pick<ViewMenuProps, 'columns' | 'onColumns'>

function ColumnItem({ column, columns, onColumns }: ColumnItemsProps & { column: ColumnName }) {
  const shown = columns.includes(column)
  const toggle = () => {
    const next = shown ? columns.filter((name) => name !== column) : [...columns, column]
    onColumns(inOrder(next))
  }
  return (
    <MenuCheckbox checked={shown} onCheckedChange={toggle}>
      {columnLabel(column)}
    </MenuCheckbox>
  )
}

/** The known columns in their order, the metrics before the time of the submission. */
function inOrder(columns: readonly ColumnName[]): ColumnName[] {
  const place = (column: ColumnName) =>
    metricOf(column) === null ? jobColumnNames.indexOf(column as JobColumnName) : jobColumnNames.length - 1.5
  return columns.toSorted((one, other) => place(one) - place(other))
}

/** The metrics of the newest jobs, and those that are shown. */
function MetricItems({ everyone, columns, onColumns }: ColumnItemsProps & { everyone: boolean }) {
  const { data = [] } = useQuery(
    suggestionsQuery({ key: 'metric', text: '', ...(everyone ? { all: true } : {}) }),
  )
  const names = sortNames([...new Set([...columns.flatMap((column) => metricOf(column) ?? []), ...data])])
  const metrics = names.map((name): ColumnName => `metric.${name}`)
  if (metrics.length === 0) return null
  return (
    <>
      <MenuLabel>Metrics</MenuLabel>
      {metrics.map((column) => (
        <ColumnItem key={column} column={column} columns={columns} onColumns={onColumns} />
      ))}
    </>
  )
}
