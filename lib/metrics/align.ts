import type { Column } from './column'
import type { SeriesStore } from './series-store'

/**
 * The values of a metric over an axis, in the order of the axis. A line without the counter of the axis has the last
 * value of the counter before it. Values before the first one are left out.
 */
export function alignTo(
  store: SeriesStore,
  name: string,
  axis: string,
): { x: Float64Array; y: Float64Array } {
  const column = store.columns.get(name)
  if (!column) return { x: new Float64Array(), y: new Float64Array() }
  if (axis === 'line') return { x: lineNumbers(column.rows), y: column.values }
  const counter = axis === 'time' ? store.time : store.columns.get(axis)
  return counter ? sortByX(join(column, counter)) : { x: new Float64Array(), y: new Float64Array() }
}

/** A loop, because `Float64Array.from` takes 80 ms for a million rows, in which the server does nothing else. */
function lineNumbers(rows: Uint32Array): Float64Array {
  const numbers = new Float64Array(rows.length)
  for (let at = 0; at < rows.length; at++) numbers[at] = (rows[at] ?? 0) + 1
  return numbers
}

function join(column: Column, counter: Column): { x: Float64Array; y: Float64Array } {
  const { rows, values } = column
  const { rows: counterRows, values: counts } = counter
  const x = new Float64Array(rows.length)
  const y = new Float64Array(rows.length)
  let length = 0
  let next = 0
  let current = Number.NaN
  for (let at = 0; at < rows.length; at++) {
    while (next < counterRows.length && (counterRows[next] ?? 0) <= (rows[at] ?? 0)) {
      const count = counts[next++] ?? Number.NaN
      if (!Number.isNaN(count)) current = count
    }
    if (Number.isNaN(current)) continue
    x[length] = current
    y[length++] = values[at] ?? Number.NaN
  }
  return { x: x.subarray(0, length), y: y.subarray(0, length) }
}

/** A counter goes back if a program continues from a checkpoint. Most never do. */
function sortByX({ x, y }: { x: Float64Array; y: Float64Array }): { x: Float64Array; y: Float64Array } {
  if (x.every((value, at) => at === 0 || value >= (x[at - 1] ?? 0))) return { x, y }
  const order = Uint32Array.from(x, (_, at) => at).sort(
    (one, other) => (x[one] ?? 0) - (x[other] ?? 0) || one - other,
  )
  return {
    x: Float64Array.from(order, (at) => x[at] ?? 0),
    y: Float64Array.from(order, (at) => y[at] ?? Number.NaN),
  }
}
