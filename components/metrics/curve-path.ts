import type { MetricSeries } from '@/lib/metrics/contract'

export const curveWidth = 240
export const curveHeight = 40
const margin = 2

/** The SVG path of a series, from its lowest to its highest value. */
export function curvePath({ x, y }: Pick<MetricSeries, 'x' | 'y'>): string {
  const known = y.filter((value) => value !== null)
  if (known.length === 0) return ''
  const low = known.reduce((one, other) => Math.min(one, other))
  const high = known.reduce((one, other) => Math.max(one, other))
  const [from, to] = [x[0] ?? 0, x.at(-1) ?? 0]
  const place = (value: number, start: number, end: number, size: number) =>
    end > start ? ((value - start) / (end - start)) * size : size / 2
  let path = ''
  let begins = true
  for (const [at, value] of y.entries()) {
    if (value === null) begins = true
    else {
      const left = place(x[at] ?? 0, from, to, curveWidth)
      const top = curveHeight - margin - place(value, low, high, curveHeight - 2 * margin)
      path += `${begins ? 'M' : 'L'}${left.toFixed(1)} ${top.toFixed(1)}`
      begins = false
    }
  }
  // A single point is a line without length. The round cap makes it a dot.
  return known.length === 1 ? `${path}h0.01` : path
}
