import { parseFilter } from './cell-filter'
import type { TextColumn } from './text-column'

/** Which rows a user wants to see, and in which order. */
export interface TableQuery {
  /** A text in any column. */
  search: string
  filters: readonly { column: number; text: string }[]
  sort: { column: number; descending: boolean } | null
}

/** The rows that match, in their order; null: all rows as in the file. */
export function orderRows(
  columns: readonly TextColumn[],
  count: number,
  { search, filters, sort }: TableQuery,
): Uint32Array | null {
  const marks = filterRows(columns, count, search, filters)
  const sorted = sort === null ? undefined : columns[sort.column]
  if (marks === null && (sort === null || !sorted)) return null
  const rows = markedRows(marks, count)
  return sort === null || !sorted ? rows : sortRows(sorted, rows, sort.descending)
}

/** A mark for each row that matches; null: all match. */
function filterRows(
  columns: readonly TextColumn[],
  count: number,
  search: string,
  filters: TableQuery['filters'],
): Uint8Array | null {
  let all: Uint8Array | null = null
  const keep = (marks: Uint8Array) => {
    if (all === null) all = marks
    else for (let row = 0; row < count; row++) all[row] = (all[row] ?? 0) & (marks[row] ?? 0)
  }
  const searched = search.trim().toLowerCase()
  if (searched !== '') {
    const marks = new Uint8Array(count)
    for (const column of columns) column.markContaining(searched, marks)
    keep(marks)
  }
  for (const { column: index, text } of filters) {
    const column = columns[index]
    const filter = column && parseFilter(text, column.type)
    if (!column || !filter) continue
    const marks = new Uint8Array(count)
    if ('contains' in filter) column.markContaining(filter.contains, marks)
    else
      column.numbers().forEach((value, row) => {
        if (filter.accepts(value)) marks[row] = 1
      })
    keep(marks)
  }
  return all
}

function markedRows(marks: Uint8Array | null, count: number): Uint32Array {
  const rows = new Uint32Array(count)
  let found = 0
  for (let row = 0; row < count; row++) if (marks === null || marks[row] === 1) rows[found++] = row
  return rows.subarray(0, found)
}

/** Equal rows keep their order. Empty cells, and NaN among numbers, come last in both directions. */
function sortRows(column: TextColumn, rows: Uint32Array, descending: boolean): Uint32Array {
  const isNumber = column.type === 'number'
  const keys = isNumber ? column.numbers() : textKeys(column)
  const isEmpty = (row: number) => (isNumber ? Number.isNaN(keys[row]) : keys[row] === '')
  const known = rows.filter((row) => !isEmpty(row))
  const empty = rows.filter(isEmpty)
  const direction = descending ? -1 : 1
  known.sort((one, other) => {
    const [first = '', second = ''] = [keys[one], keys[other]]
    if (first < second) return -direction
    return first > second ? direction : one - other
  })
  const sorted = new Uint32Array(rows.length)
  sorted.set(known)
  sorted.set(empty, known.length)
  return sorted
}

/** Capital letters do not matter. A comparison in the rules of a language would take ten times as long. */
function textKeys(column: TextColumn): string[] {
  const keys: string[] = []
  column.forEach((text) => {
    keys.push(text.toLowerCase())
  })
  return keys
}
