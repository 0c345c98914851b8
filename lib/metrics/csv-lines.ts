import { setImmediate } from 'node:timers/promises'
import { parsePrintedJson } from '../contract/output/printed-json'
import { toCell } from '../contract/text/csv-cell'
import { isMetricName, visitNumbers } from '../results/metrics'
import { MetricLines } from './metric-lines'

/** The values of some metrics as CSV, in pieces, with the digits that were printed. */
export async function* csvLines(
  output: AsyncIterable<Buffer>,
  names: readonly string[],
): AsyncGenerator<Buffer> {
  const places = new Map(names.filter(isMetricName).map((name, index) => [name, index]))
  const rows: string[] = [['line', 'time', ...[...places.keys()].map(toCell)].join(',')]
  let line = 0
  const lines = new MetricLines((value, time) => {
    const cells: string[] = new Array(places.size).fill('')
    let printed = false
    let chosen = false
    visitNumbers(value, (name, _, source) => {
      printed ||= isMetricName(name)
      const place = places.get(name)
      if (place === undefined) return
      cells[place] = source
      chosen = true
    })
    if (printed) line++
    if (chosen) rows.push([line, time, ...cells].join(','))
  }, parsePrintedJson)
  for await (const piece of output) {
    lines.push(piece)
    if (rows.length > 0) yield toBytes(rows.splice(0))
    await setImmediate()
  }
  if (rows.length > 0) yield toBytes(rows)
}

function toBytes(rows: readonly string[]): Buffer {
  return Buffer.from(`${rows.join('\r\n')}\r\n`)
}
