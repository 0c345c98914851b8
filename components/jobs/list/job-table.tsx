import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo } from 'react'
import { type ColumnName, columnLabel, isNumeric, sortOf } from '@/lib/contract/job-columns'
import type { JobSummary } from '@/lib/contract/jobs'
import { Checkbox } from '../../ui/checkbox'
import { cn } from '../../ui/class-names'
import { Cell, HeaderCell, RowLink, Table, TableBody, TableHead, TableRow } from '../../ui/table'
import { jobTitle } from '../job-title'
import { JobLabels } from '../labels/job-labels'
import { columnWidth, tableWidth } from './columns'
import { hasValue, JobCell } from './job-cell'
import type { Density } from './list-settings'

interface TableSelection {
  selected: ReadonlySet<string>
  /** The same function in each rendering. */
  onSelect: (id: string, selected: boolean) => void
}

interface JobTableProps extends TableSelection {
  jobs: readonly JobSummary[]
  columns: readonly ColumnName[]
  density: Density
  /** As in the address; null: active jobs first. */
  sort: string | null
  onSort: (sort: string | null) => void
}

/**
 * A page of jobs. Fixed column widths keep the table still when a status changes. Competition and project stand below the
 * title of the job where they have no column.
 */
export function JobTable({ jobs, columns, density, sort, onSort, selected, onSelect }: JobTableProps) {
  const leastWidth = tableWidth(columns)
  const shares = columns.some((column) => columnWidth(column) === '')
  return (
    // A table that is wider than the page's usual width gets the width of the window.
    <div {...(leastWidth ? { 'data-wide': true } : {})}>
      <Table caption="Jobs" className={cn('table-fixed', leastWidth)} scrolls={leastWidth !== null}>
        <TableHead>
          <HeaderCell className={leastWidth ? 'w-72' : shares ? 'w-[31%]' : ''}>Job</HeaderCell>
          {columns.map((column) => (
            <ColumnHeader key={column} column={column} sort={sort} onSort={onSort} />
          ))}
        </TableHead>
        <TableBody>
          {jobs.map((job) => (
            <JobRow
              key={job.job_id}
              job={job}
              columns={columns}
              density={density}
              selected={selected.has(job.job_id)}
              onSelect={onSelect}
            />
          ))}
        </TableBody>
      </Table>
    </div>
  )
}

/** Many columns: the names get the space instead of the gaps. */
const narrowCell = 'px-2'

const alignOf = (column: ColumnName) => (isNumeric(column) ? 'end' : 'start')

interface ColumnHeaderProps extends Pick<JobTableProps, 'sort' | 'onSort'> {
  column: ColumnName
}

function ColumnHeader({ column, sort, onSort }: ColumnHeaderProps) {
  const label = columnLabel(column)
  const key = sortOf(column)
  const common = { align: alignOf(column), className: cn(narrowCell, columnWidth(column)) } as const
  if (key === null) return <HeaderCell {...common}>{label}</HeaderCell>
  const sorted = sort === `-${key}` ? 'descending' : sort === key ? 'ascending' : undefined
  const next = sorted === 'descending' ? key : sorted === 'ascending' ? null : `-${key}`
  const Arrow = sorted === 'ascending' ? ArrowUp : ArrowDown
  return (
    <HeaderCell {...common} sorted={sorted}>
      {/* The narrow table has no visible header, and sorts by the menu. */}
      <span className="hidden @max-2xl:inline">{label}</span>
      <button
        type="button"
        title={`Sort by ${label}`}
        onClick={() => onSort(next)}
        className="-mx-1 inline-flex min-h-6 max-w-full items-center gap-1 rounded-sm px-1 hover:text-ink @max-2xl:hidden"
      >
        <span className="min-w-0 truncate">{label}</span>
        {sorted ? <Arrow aria-hidden className="size-3 shrink-0" /> : null}
      </button>
    </HeaderCell>
  )
}

/** Columns that the narrow list leaves out: they stand below the title. */
const belowTitle = new Set<string>(['competition', 'project'])

interface JobRowProps extends Pick<JobTableProps, 'columns' | 'density' | 'onSelect'> {
  job: JobSummary
  selected: boolean
}

/** Renders only if its job changed: the list refreshes every few seconds. */
const JobRow = memo(function JobRow({ job, columns, density, selected, onSelect }: JobRowProps) {
  const compact = density === 'compact'
  const title = jobTitle(job)
  const hasPlace = columns.includes('competition') && columns.includes('project')
  return (
    // In the narrow list, the values stand in one or two lines below the title.
    <TableRow
      selected={selected}
      className="@max-2xl:flex-row @max-2xl:flex-wrap @max-2xl:gap-x-4 @max-2xl:pl-12"
    >
      <Cell className={cn('@max-2xl:-ml-8 @max-2xl:basis-[calc(100%+2rem)]', compact && 'h-7 py-0.5')}>
        <span className="flex min-w-0 items-center gap-2">
          {/* Above the link, which covers the row. */}
          <span className="relative z-10 flex">
            <Checkbox
              label={<span className="sr-only">Select {title}</span>}
              checked={selected}
              onCheckedChange={(checked) => onSelect(job.job_id, checked)}
            />
          </span>
          <span className="flex min-w-0 flex-col">
            <span className="flex min-w-0 items-center gap-1.5">
              <span className="min-w-0 truncate">
                <RowLink
                  href={`/jobs/${job.job_id}`}
                  id={rowLinkId(job.job_id)}
                  className={job.name ? '' : 'font-mono'}
                >
                  {title}
                </RowLink>
              </span>
              <JobLabels job={job} withTags={!columns.includes('tags')} />
            </span>
            <span
              className={cn(
                'truncate text-subtle text-xs',
                hasPlace && 'hidden @max-2xl:block',
                compact && '@2xl:hidden',
              )}
            >
              {job.competition_id} · {job.project_id}
            </span>
          </span>
        </span>
      </Cell>
      {columns.map((column) => (
        <Cell
          key={column}
          label={column === 'status' ? undefined : columnLabel(column)}
          align={alignOf(column)}
          className={cn(
            narrowCell,
            '@max-2xl:max-w-full @max-2xl:justify-start @max-2xl:gap-1.5',
            column !== 'status' && 'text-muted',
            compact && 'h-7 py-0.5',
            (belowTitle.has(column) || !hasValue(job, column)) && '@max-2xl:hidden',
          )}
        >
          <JobCell job={job} column={column} compact={compact} />
        </Cell>
      ))}
    </TableRow>
  )
})

/** The id of the element that opens a job. */
export const rowLinkId = (id: string) => `job-${id}`
