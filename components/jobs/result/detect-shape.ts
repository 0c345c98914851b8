import { axisNames } from '../../../lib/contract/output/axes'
import { numberOf, PrintedNumber } from '../../../lib/contract/output/printed-json'

/** JSON values as rows and columns. A missing cell is undefined. */
export interface TableShape {
  columns: readonly string[]
  rows: readonly (readonly unknown[])[]
}

export interface ChartSeries {
  name: string
  values: readonly (number | null)[]
}

/** Numbers over a common axis. */
export interface ChartShape {
  /** The x axis: a step or epoch column, or the row number. */
  x: { name: string; values: readonly number[] }
  series: readonly ChartSeries[]
}

export type ShapeName = 'chart' | 'table' | 'tree'

export interface Shapes {
  table: TableShape | null
  chart: ChartShape | null
  /** The default view. */
  best: ShapeName
}

const maxColumns = 200

/** The possible views of a job's results. A tree is always possible. */
export function detectShapes(results: readonly unknown[]): Shapes {
  const rows = toTable(results)
  const chart = toChart(rows)
  const table = rows ?? fieldsToTable(results)
  return { table, chart, best: choose(table, chart) }
}

function choose(table: TableShape | null, chart: ChartShape | null): ShapeName {
  // A table is better for a few points, and values without an axis may not be a series.
  if (chart && chart.x.values.length >= 4 && chart.x.name !== rowAxis) return 'chart'
  return table ? 'table' : 'tree'
}

function toTable(results: readonly unknown[]): TableShape | null {
  const [only] = results
  if (results.length !== 1) return rowsToTable(results)
  if (Array.isArray(only)) return rowsToTable(only) ?? numbersToTable(only)
  return isObject(only) ? columnsToTable(only) : null
}

/** One row for each object (or each list of equal length) in a list. */
function rowsToTable(list: readonly unknown[]): TableShape | null {
  if (list.length === 0) return null
  if (list.every(isObject)) return objectsToTable(list)
  const width = Array.isArray(list[0]) ? list[0].length : 0
  const isMatrix =
    width > 0 &&
    width <= maxColumns &&
    list.every((row) => Array.isArray(row) && row.length === width && row.every(isPrimitive))
  if (!isMatrix) return null
  return {
    columns: Array.from({ length: width }, (_, column) => String(column)),
    rows: list.filter(Array.isArray),
  }
}

function objectsToTable(objects: readonly JsonObject[]): TableShape | null {
  // Maps, never objects: a key may be `__proto__`.
  const places = new Map<string, number>()
  let cells = 0
  let flat = 0
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      if (!places.has(key)) places.set(key, places.size)
      cells++
      if (isPrimitive(value)) flat++
    }
    if (places.size > maxColumns) return null
  }
  const size = places.size * objects.length
  // A tree is better for mostly nested or mostly missing values.
  if (cells === 0 || flat < cells / 2 || cells < size / 2) return null
  const rows = objects.map((object) => {
    const row: unknown[] = new Array(places.size).fill(undefined)
    for (const [key, value] of Object.entries(object)) row[places.get(key) ?? 0] = value
    return row
  })
  return { columns: [...places.keys()], rows }
}

/** An object of lists with equal lengths, such as a training history. */
function columnsToTable(object: JsonObject): TableShape | null {
  const columns = Object.entries(object)
  const length = Array.isArray(columns[0]?.[1]) ? columns[0][1].length : 0
  const fits = (value: unknown) => Array.isArray(value) && value.length === length && value.every(isPrimitive)
  if (length < 2 || columns.length > maxColumns || !columns.every(([, value]) => fits(value))) return null
  const lists = columns.map(([, value]) => (Array.isArray(value) ? value : []))
  return {
    columns: columns.map(([name]) => name),
    rows: Array.from({ length }, (_, row) => lists.map((list) => list[row])),
  }
}

/** One flat object: a row for each field. */
function fieldsToTable([only, ...others]: readonly unknown[]): TableShape | null {
  if (others.length > 0 || !isObject(only)) return null
  const fields = Object.entries(only)
  if (fields.length === 0 || !fields.every(([, value]) => isPrimitive(value))) return null
  return { columns: ['field', 'value'], rows: fields }
}

function numbersToTable(list: readonly unknown[]): TableShape | null {
  if (list.length < 2 || !list.every((value) => numberOf(value) !== null)) return null
  return { columns: ['value'], rows: list.map((value) => [value]) }
}

const rowAxis = 'row'

function toChart(table: TableShape | null): ChartShape | null {
  if (!table || table.rows.length < 2) return null
  const numeric = table.columns.flatMap((name, column) => {
    const values = table.rows.map((row) => toNumber(row[column]))
    const known = values.filter((value) => value !== null).length
    return known >= 2 && known >= table.rows.length / 4
      ? [{ name, values, complete: known === values.length }]
      : []
  })
  const axis = axisNames
    .map((name) => numeric.find((series) => series.complete && series.name.toLowerCase() === name))
    .find((series) => series !== undefined && new Set(series.values).size > 1)
  const others = numeric.filter((candidate) => candidate !== axis)
  // A coarser counter, such as the epoch beside the step, comes last.
  const series = [
    ...others.filter(({ name }) => !isCount(name)),
    ...others.filter(({ name }) => isCount(name)),
  ]
  if (series.length === 0) return null
  const order = sortedRows(axis?.values ?? table.rows.map((_, row) => row + 1))
  return {
    x: { name: axis?.name ?? rowAxis, values: order.map(({ at }) => at) },
    series: series.map(({ name, values }) => ({ name, values: order.map(({ row }) => values[row] ?? null) })),
  }
}

/** Whether a column has the name of a counter. */
export function isCount(name: string): boolean {
  return axisNames.includes(name.toLowerCase())
}

/** A chart needs sorted x values; results may come in any order. */
function sortedRows(values: readonly (number | null)[]): { at: number; row: number }[] {
  return values.map((value, row) => ({ at: value ?? 0, row })).sort((one, other) => one.at - other.at)
}

function toNumber(value: unknown): number | null {
  const number = numberOf(value)
  return number !== null && Number.isFinite(number) ? number : null
}

type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return !isPrimitive(value) && !Array.isArray(value)
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof PrintedNumber
}
