import { maxMetricName, metricPrefix } from '@/lib/contract/search/search-keys'

/** The columns of the list of jobs beside its title. */
export const columnTable = {
  status: { label: 'Status', width: 'w-50' },
  user: { label: 'User', width: 'w-40' },
  competition: { label: 'Competition', width: 'w-36' },
  project: { label: 'Project', width: 'w-36' },
  environment: { label: 'Environment', width: 'w-32' },
  tags: { label: 'Tags', width: 'w-44' },
  node: { label: 'Node', width: 'w-28' },
  wait: { label: 'Wait', width: 'w-28', sort: 'wait' },
  run_time: { label: 'Run time', width: 'w-28', sort: 'run_time' },
  gpu_hours: { label: 'GPU hours', width: 'w-28', sort: 'gpu_hours' },
  submitted: { label: 'Submitted', width: 'w-28', sort: 'submitted' },
} as const
type KnownColumn = keyof typeof columnTable

/** A column, or `metric.NAME`. */
export type ColumnName = KnownColumn | `metric.${string}`

export const knownColumns = Object.keys(columnTable) as KnownColumn[]
const maxColumns = 16

/** The columns without a choice. */
export function defaultColumns(everyone: boolean): readonly ColumnName[] {
  return everyone
    ? ['status', 'user', 'node', 'run_time', 'submitted']
    : ['status', 'competition', 'project', 'node', 'run_time', 'submitted']
}

export function metricOf(column: string): string | null {
  return column.startsWith(metricPrefix) ? column.slice(metricPrefix.length) : null
}

export function columnLabel(column: ColumnName): string {
  return metricOf(column) ?? columnTable[column as KnownColumn].label
}

/** The order by which a column sorts; null: it sorts none. */
export function sortOf(column: ColumnName): string | null {
  if (metricOf(column) !== null) return column
  const known = columnTable[column as KnownColumn]
  return 'sort' in known ? known.sort : null
}

/** The columns of an address or a setting. Null: it has none, or no valid one. */
export function readColumns(text: string | null): readonly ColumnName[] | null {
  if (text === null) return null
  const names = text.split(',').map(decode).filter(isColumn)
  return names.length > 0 ? [...new Set(names)].slice(0, maxColumns) : null
}

/** The text for an address. Names of metrics may have any characters. */
export function formatColumns(columns: readonly ColumnName[]): string {
  return columns.map((name) => encodeURIComponent(name)).join(',')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function isColumn(name: string): name is ColumnName {
  const metric = metricOf(name)
  if (metric !== null) return metric !== '' && metric.length <= maxMetricName
  return Object.hasOwn(columnTable, name)
}
