import { maxMetricName, metricPrefix } from '@/lib/contract/search/search-keys'

/** The columns of the list of jobs beside its title. Columns without a width share the rest of the table. */
export const columnTable = {
  // In a narrow table, names need the space more than long reasons.
  status: { label: 'Status', width: 'w-30 @5xl:w-38', rem: 9.5 },
  user: { label: 'User', width: 'w-44', rem: 11 },
  competition: { label: 'Competition', width: '', rem: 9 },
  project: { label: 'Project', width: '', rem: 9 },
  environment: { label: 'Environment', width: '', rem: 9 },
  tags: { label: 'Tags', width: 'w-44', rem: 11 },
  node: { label: 'Node', width: 'w-24', rem: 6 },
  wait: { label: 'Wait', width: 'w-22', rem: 5.5, sort: 'wait' },
  run_time: { label: 'Run time', width: 'w-22', rem: 5.5, sort: 'run_time' },
  gpu_hours: { label: 'GPU hours', width: 'w-28', rem: 7, sort: 'gpu_hours' },
  submitted: { label: 'Submitted', width: 'w-28', rem: 7, sort: 'submitted' },
} as const
const metricColumn = { width: 'w-28', rem: 7 } as const
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

/** The class of a column's width; empty: it shares the rest of the table. */
export function columnWidth(column: ColumnName): string {
  return sizeOf(column).width
}

function sizeOf(column: ColumnName): { width: string; rem: number } {
  return metricOf(column) === null ? columnTable[column as KnownColumn] : metricColumn
}

const titleRem = 18
/** The default columns fit into each window that has a table. */
const fittingRem = 72
const tableWidths = [
  [80, '@2xl:min-w-[80rem]'],
  [96, '@2xl:min-w-[96rem]'],
  [112, '@2xl:min-w-[112rem]'],
  [128, '@2xl:min-w-[128rem]'],
  [160, '@2xl:min-w-[160rem]'],
] as const

/** The class of the least width of a table with many columns, which scrolls; null: the columns fit. */
export function tableWidth(columns: readonly ColumnName[]): string | null {
  const rem = columns.reduce((sum, column) => sum + sizeOf(column).rem, titleRem)
  if (rem <= fittingRem) return null
  return (tableWidths.find(([most]) => rem <= most) ?? tableWidths[tableWidths.length - 1])?.[1] ?? null
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
