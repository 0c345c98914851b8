import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { bestOf } from '@/lib/metrics/contract-best-value'
import { groupLabel } from '@/lib/metrics/contract-group-label'
import { numberIn } from '@/lib/metrics/contract-group-rows'
import type { ResultColumn } from '@/lib/project-results/contract-columns'
import { JobStatus } from '../jobs/job-status'
import { TagBadges } from '../jobs/labels/job-labels'
import { MetricValue } from '../metrics/summary-value'
import { Checkbox } from '../ui/checkbox'
import { formatDuration } from '../ui/format-time'
import { RelativeTime } from '../ui/relative-time'
import { SortHeader } from '../ui/sort-header'
import { Cell, HeaderCell, RowLink, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { bestIn, type ResultsView } from './results-view'
import type { ShownRow } from './shown-row'

// Loaded on use: it has the dialog of the pictures.
const RowPictures = dynamic(() => import('./row-pictures').then((module) => module.RowPictures))

/** Which rows are chosen for a link. */
export interface RowSelection {
  selected: ReadonlySet<string>
  /** A link can show only the jobs of its creator. */
  selectable: ReadonlySet<string>
  onSelect: (key: string, selected: boolean) => void
}

interface ResultsTableProps {
  /** The rows of the page. */
  rows: readonly ShownRow[]
  /** All rows, of which the best value is marked. */
  all: readonly ShownRow[]
  columns: readonly ResultColumn[]
  metrics: readonly string[]
  /** By what the jobs are grouped; null: not. */
  group: string | null
  /** Whether there are jobs of several users. */
  users: boolean
  view: Pick<ResultsView, 'best' | 'sort' | 'ascending'>
  onSort: (sort: string, ascending: boolean) => void
  /** Absent: rows cannot be selected. */
  selection?: RowSelection
}

interface TableColumn {
  key: string
  label: string
  end?: boolean
  /** Absent: the table is not sorted by it. */
  sorts?: boolean
  cell: (row: ShownRow) => ReactNode
}

const none = '–'

const known: Record<Exclude<ResultColumn, 'name'>, Omit<TableColumn, 'key'>> = {
  status: {
    label: 'Status',
    sorts: true,
    cell: ({ status }) => (status ? <JobStatus state={status} variant="plain" /> : none),
  },
  tags: {
    label: 'Tags',
    cell: ({ tags = [] }) =>
      tags.length === 0 ? (
        none
      ) : (
        <span className="flex min-w-0 items-center gap-1">
          <TagBadges tags={tags} />
        </span>
      ),
  },
  submitted: {
    label: 'Submitted',
    end: true,
    sorts: true,
    cell: ({ created_at }) =>
      created_at ? <RelativeTime at={created_at} className="whitespace-nowrap" /> : none,
  },
  run_time: {
    label: 'Run time',
    end: true,
    sorts: true,
    cell: ({ run_seconds }) => (typeof run_seconds === 'number' ? formatDuration(run_seconds * 1000) : none),
  },
  pictures: {
    label: 'Pictures',
    cell: ({ pictures }) => (pictures.length === 0 ? none : <RowPictures images={pictures} />),
  },
}

/** Jobs with the last values of metrics. The best value of each metric is marked. */
export function ResultsTable(props: ResultsTableProps) {
  const { rows, view, onSort, selection } = props
  const columns = columnsOf(props)
  return (
    <Table caption="Results" scrolls>
      <TableHead>
        <SortHeader
          label="Job"
          end={false}
          ascending={view.sort === 'name' ? view.ascending : null}
          onSort={(ascending) => onSort('name', ascending)}
        />
        {columns.map(({ key, label, end = false, sorts }) =>
          sorts ? (
            <SortHeader
              key={key}
              label={label}
              end={end}
              ascending={view.sort === key ? view.ascending : null}
              onSort={(ascending) => onSort(key, ascending)}
            />
          ) : (
            <HeaderCell key={key} align={end ? 'end' : 'start'}>
              {label}
            </HeaderCell>
          ),
        )}
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <TableRow key={row.key} selected={selection?.selected.has(row.key) ?? false}>
            <Cell className="font-medium">
              <Title row={row} selection={selection} />
            </Cell>
            {columns.map(({ key, label, end, cell }) => (
              <Cell key={key} label={label} align={end ? 'end' : 'start'}>
                {cell(row)}
              </Cell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}

function columnsOf({ all, columns, metrics, group, users, view }: ResultsTableProps): TableColumn[] {
  const shown = columns.flatMap((key): TableColumn[] => (key === 'name' ? [] : [{ key, ...known[key] }]))
  const isLate = ({ key }: TableColumn) => key !== 'status' && key !== 'tags'
  return [
    ...shown.filter((column) => !isLate(column)),
    ...(users
      ? [{ key: 'user', label: 'User', sorts: true, cell: ({ user }: ShownRow) => user ?? none }]
      : []),
    ...(group === null
      ? []
      : [
          {
            key: 'group',
            label: visibleText(groupLabel(group), 60),
            sorts: true,
            cell: ({ group: value }: ShownRow) => (value === null ? none : visibleText(value, 200)),
          },
        ]),
    ...metrics.map((name): TableColumn => {
      const values = all.map((row) => numberIn(row.metrics, name))
      const best = bestOf(values, bestIn(view, name))
      return {
        key: `metric.${name}`,
        label: visibleText(name, 60),
        end: true,
        sorts: true,
        cell: (row) => {
          const value = numberIn(row.metrics, name)
          return <MetricValue value={value} isBest={value === best} />
        },
      }
    }),
    ...shown.filter(isLate),
  ]
}

function Title({
  row: { key, title, href },
  selection,
}: {
  row: ShownRow
  selection: RowSelection | undefined
}) {
  const text = visibleText(title, 200)
  const name = href === null ? text : <RowLink href={href}>{text}</RowLink>
  if (!selection) return <span className="wrap-anywhere">{name}</span>
  return (
    <span className="flex min-w-0 items-center gap-2">
      {/* Above the link, which covers the row. */}
      <span className="relative z-10 flex w-5 shrink-0">
        {selection.selectable.has(key) ? (
          <Checkbox
            label={<span className="sr-only">Select {text}</span>}
            checked={selection.selected.has(key)}
            onCheckedChange={(checked) => selection.onSelect(key, checked)}
          />
        ) : null}
      </span>
      <span className="min-w-0 wrap-anywhere">{name}</span>
    </span>
  )
}
