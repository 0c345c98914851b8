import { type ReactNode, useState } from 'react'
import type { Accounting, AccountingRow } from '@/lib/accounting/contract'
import type { AccountingGroup } from '@/lib/accounting/contract-range'
import { projectPath } from '../access/project/project-path'
import { Person } from '../shell/person'
import { formatNumber } from '../ui/format-number'
import { Link } from '../ui/link'
import { SortHeader } from '../ui/sort-header'
import { Cell, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { groupNames } from './accounting-request'
import { endedJobs, formatEfficiency, formatHours, formatWait } from './format-usage'

interface UsageColumn {
  label: string
  value: (row: AccountingRow) => number | null
  text: (row: AccountingRow) => string
}

const columns: readonly UsageColumn[] = [
  { label: 'GPU hours', value: (row) => row.gpu_hours, text: (row) => formatHours(row.gpu_hours) },
  { label: 'Used', value: (row) => row.used_gpu_hours, text: (row) => formatHours(row.used_gpu_hours) },
  { label: 'Idle', value: (row) => row.idle_gpu_hours, text: (row) => formatHours(row.idle_gpu_hours) },
  { label: 'Efficiency', value: (row) => row.efficiency, text: (row) => formatEfficiency(row.efficiency) },
  { label: 'CPU hours', value: (row) => row.cpu_hours, text: (row) => formatHours(row.cpu_hours) },
  { label: 'Jobs', value: endedJobs, text: (row) => formatNumber(endedJobs(row)) },
  { label: 'Failed', value: (row) => row.failed, text: (row) => formatNumber(row.failed) },
  { label: 'Median wait', value: (row) => row.median_wait_s, text: (row) => formatWait(row.median_wait_s) },
  { label: '90 % waited', value: (row) => row.p90_wait_s, text: (row) => `≤ ${formatWait(row.p90_wait_s)}` },
]

interface Order {
  label: string
  ascending: boolean
}

/** The rows of the accounting. A click on a heading sorts by it. */
export function UsageTable({ accounting: { by, rows } }: { accounting: Pick<Accounting, 'by' | 'rows'> }) {
  const [order, setOrder] = useState<Order | null>(null)
  const sorted = sortRows(rows, order)
  return (
    <Table caption={`Use by ${groupNames[by].toLowerCase()}`} scrolls>
      <TableHead>
        {[groupNames[by], ...columns.map(({ label }) => label)].map((label, index) => (
          <SortHeader
            key={label}
            label={label}
            end={index > 0}
            ascending={order?.label === label ? order.ascending : null}
            onSort={(ascending) => setOrder({ label, ascending })}
          />
        ))}
      </TableHead>
      <TableBody>
        {sorted.map((row) => (
          <TableRow key={row.group}>
            <Cell className="font-medium">
              <GroupName by={by} row={row} />
            </Cell>
            {columns.map(({ label, value, text }) => (
              <Cell key={label} label={label} align="end" className="whitespace-nowrap">
                {value(row) === null ? '–' : text(row)}
              </Cell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}

/** Rows without a value are last. Without an order, the rows keep that of the server. */
export function sortRows(rows: readonly AccountingRow[], order: Order | null): readonly AccountingRow[] {
  if (order === null) return rows
  const column = columns.find(({ label }) => label === order.label)
  const sign = order.ascending ? 1 : -1
  return rows.toSorted((a, b) => {
    if (!column) return sign * a.group.localeCompare(b.group, 'en')
    const [x, y] = [column.value(a), column.value(b)]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    return sign * (x - y)
  })
}

function GroupName({
  by,
  row: { group, name, project },
}: {
  by: AccountingGroup
  row: AccountingRow
}): ReactNode {
  if (by === 'user') return <Person handle={group} name={name ?? undefined} />
  if (by !== 'project' || project === null) return <span className="wrap-anywhere">{group}</span>
  return (
    <span className="flex min-w-0 flex-col">
      <Link href={projectPath(project)} variant="quiet" className="wrap-anywhere">
        {group}
      </Link>
      {name ? <span className="truncate font-normal text-subtle text-xs">{name}</span> : null}
    </span>
  )
}
