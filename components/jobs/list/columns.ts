import { type ColumnName, isColumn, isNumeric, type JobColumnName } from '@/lib/contract/job-columns'

interface Size {
  /** The class of the width; empty: the column shares the rest of the table. */
  width: string
  rem: number
}

const textSize: Size = { width: '', rem: 9 }
const numberSize: Size = { width: 'w-28', rem: 7 }

/** Columns that need more or less space than others of their kind. */
const sizes: Partial<Record<JobColumnName, Size>> = {
  // In a narrow table, names need the space more than long reasons.
  status: { width: 'w-30 @5xl:w-38', rem: 9.5 },
  user: { width: 'w-44', rem: 11 },
  tags: { width: 'w-44', rem: 11 },
  node: { width: 'w-24', rem: 6 },
  priority: { width: 'w-22', rem: 5.5 },
  wait: { width: 'w-22', rem: 5.5 },
  run_time: { width: 'w-22', rem: 5.5 },
}

const maxColumns = 16

/** The columns without a choice. */
export function defaultColumns(everyone: boolean): readonly ColumnName[] {
  return everyone
    ? ['status', 'user', 'node', 'run_time', 'submitted']
    : ['status', 'competition', 'project', 'node', 'run_time', 'submitted']
}

/** The class of a column's width; empty: it shares the rest of the table. */
export function columnWidth(column: ColumnName): string {
  return sizeOf(column).width
}

function sizeOf(column: ColumnName): Size {
  return sizes[column as JobColumnName] ?? (isNumeric(column) ? numberSize : textSize)
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
