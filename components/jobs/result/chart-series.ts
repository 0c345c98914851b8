import { type ChartSeries, type ChartShape, isCount } from './detect-shape'

/** The number of lines shown at first. */
const linesAtFirst = 4
/** The maximum ratio between series on one axis. Smaller series would be flat lines. */
const comparable = 50

/** The series to show at first: the first one and others of a similar scale. */
export function chooseSeries(series: readonly ChartSeries[]): Set<number> {
  const chosen = new Set<number>()
  const scale = largest(series[0])
  for (const [index, candidate] of series.entries()) {
    if (chosen.size === linesAtFirst) break
    const own = largest(candidate)
    const fits = own <= scale * comparable && own * comparable >= scale && !isCount(candidate.name)
    if (index === 0 || fits) chosen.add(index)
  }
  return chosen
}

function largest(series: ChartSeries | undefined): number {
  return series?.values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0) ?? 0
}

/** Whether a logarithmic axis is possible: all values must be positive. */
export function allPositive({ series }: ChartShape, chosen: ReadonlySet<number>): boolean {
  return series.every(
    (own, index) => !chosen.has(index) || own.values.every((value) => value === null || value > 0),
  )
}

/** A number with five digits: "0.0312", "3e-4", "12,400". */
export function formatValue(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 1e-3 || size >= 1e7) {
    const [mantissa = '', power = ''] = value.toExponential(3).split('e')
    return `${Number(mantissa)}e${Number(power)}`
  }
  return Number(value.toPrecision(5)).toLocaleString('en', { maximumFractionDigits: 8 })
}

/** A description of the chart for screen readers. */
export function summarize({ x, series }: ChartShape, chosen: ReadonlySet<number>): string {
  const lines = series
    .filter((_, index) => chosen.has(index))
    .map(({ name, values }) => `${name}, ${describeRun(values)}`)
  return `Line chart over ${x.name}, ${x.values.length} points. ${lines.join('; ')}.`
}

function describeRun(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null)
  const [first, last] = [known[0], known.at(-1)]
  return first === undefined || last === undefined
    ? 'no values'
    : `from ${formatValue(first)} to ${formatValue(last)}`
}
