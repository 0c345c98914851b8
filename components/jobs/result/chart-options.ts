import type uPlot from 'uplot'
import { formatValue } from './chart-series'
import type { ChartShape } from './detect-shape'

/** The number of colours. More lines differ by their dashes. */
export const seriesColours = 6
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3]] as const

export interface ChartTheme {
  series: readonly string[]
  ink: string
  grid: string
  font: string
}

/** The page's current colours: a canvas cannot use CSS variables. */
export function readTheme(element: Element): ChartTheme {
  const style = getComputedStyle(element)
  const read = (name: string) => style.getPropertyValue(name).trim()
  return {
    series: Array.from({ length: seriesColours }, (_, index) => read(`--series-${index + 1}`)),
    ink: read('--muted'),
    grid: read('--line'),
    font: `11px ${style.fontFamily}`,
  }
}

/** The dash pattern of a series for canvas and SVG. */
export function dashOf(index: number): number[] {
  return [...(dashes[Math.floor(index / seriesColours) % dashes.length] ?? [])]
}

/** The distances between the labels of an axis that has only whole numbers, such as steps: 1, 2, 5, 10 … */
export const wholeIncrements = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((first) => first * 10 ** power),
).flat()

interface ChartSettings {
  theme: ChartTheme
  width: number
  height: number
  chosen: ReadonlySet<number>
  logarithmic: boolean
  onCursor: (index: number | null) => void
}

/** The uPlot options of a chart. */
export function makeOptions(shape: ChartShape, settings: ChartSettings): uPlot.Options {
  const { theme, width, height, chosen, logarithmic, onCursor } = settings
  const axis = {
    stroke: theme.ink,
    font: theme.font,
    grid: { stroke: theme.grid, width: 1 },
    ticks: { show: false },
    values: (_: uPlot, splits: number[]) => splits.map((split) => (split === null ? '' : formatValue(split))),
  }
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, focus: { prox: 24 } },
    focus: { alpha: 0.35 },
    scales: { x: { time: false }, y: { distr: logarithmic ? 3 : 1 } },
    axes: [
      { ...axis, size: 28, ...(shape.x.values.every(Number.isInteger) ? { incrs: wholeIncrements } : {}) },
      { ...axis, size: (_, labels) => 16 + 7 * Math.max(3, ...(labels ?? []).map((label) => label.length)) },
    ],
    series: [
      {},
      ...shape.series.map(({ name }, index) => ({
        label: name,
        show: chosen.has(index),
        stroke: theme.series[index % seriesColours] ?? theme.ink,
        width: 1.75,
        dash: dashOf(index),
        spanGaps: true,
        points: { show: ({ data }: uPlot) => data[0].length <= 60, size: 5 },
      })),
    ],
    hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] },
  }
}
