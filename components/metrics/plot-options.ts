import type uPlot from 'uplot'
import { type ChartTheme, dashOf, seriesColours, wholeIncrements } from '../jobs/result/chart-options'
import { formatValue } from '../jobs/result/chart-series'
import type { Range } from './chart-settings'
import { hasWholeAxis, type MetricLine, rangeWithoutOutliers } from './plot-data'

interface MetricPlotSettings {
  theme: ChartTheme
  width: number
  height: number
  logarithmic: boolean
  ignoreOutliers: boolean
  range: Range | null
  onDraw: (plot: uPlot) => void
  onZoom: (range: Range) => void
}

/** The uPlot options of a chart of one metric. Dragging chooses a range, and the page loads its values. */
export function makeMetricOptions(lines: readonly MetricLine[], settings: MetricPlotSettings): uPlot.Options {
  const { theme, width, height, logarithmic, ignoreOutliers, range, onDraw, onZoom } = settings
  const axis = {
    stroke: theme.ink,
    font: theme.font,
    grid: { stroke: theme.grid, width: 1 },
    ticks: { show: false },
    values: (_: uPlot, splits: number[]) => splits.map((split) => (split === null ? '' : formatValue(split))),
  }
  const colourOf = ({ index }: MetricLine) => theme.series[index % seriesColours] ?? theme.ink
  // The mean hides a short peak, and its part of the area is a pixel wide. A line shows it.
  const edgeOf = (line: MetricLine): uPlot.Series => ({
    stroke: line.series.high ? withAlpha(colourOf(line), 55) : 'transparent',
    width: line.series.high ? 1 : 0,
    points: { show: false },
  })
  const usualRange: uPlot.Range.Function = ({ data: [, ...columns] }, lowest, highest) => {
    // uPlot asks for the range of a chart without values too.
    if (lowest === null) return [null, null]
    const { from, to } = rangeWithoutOutliers(columns, logarithmic) ?? { from: lowest, to: highest }
    if (from < to) return [from, to]
    return logarithmic ? [from / 10, to * 10] : [from - 1, to + 1]
  }
  return {
    width,
    height,
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { show: lines.length <= 3, size: 6 },
    },
    scales: {
      x: { time: false, ...(range ? { range: [range.from, range.to] } : {}) },
      y: { distr: logarithmic ? 3 : 1, ...(ignoreOutliers ? { range: usualRange } : {}) },
    },
    axes: [
      { ...axis, size: 26, ...(hasWholeAxis(lines) ? { incrs: wholeIncrements } : {}) },
      { ...axis, size: (_, labels) => 14 + 7 * Math.max(3, ...(labels ?? []).map((label) => label.length)) },
    ],
    bands: lines.map((line, nth) => ({
      series: [nth * 4 + 3, nth * 4 + 2] as [number, number],
      fill: withAlpha(colourOf(line), 14),
    })),
    series: [
      {},
      ...lines.flatMap((line): uPlot.Series[] => [
        {
          label: line.label,
          stroke: colourOf(line),
          width: 1.75,
          dash: dashOf(line.index),
          points: { show: line.series.x.length <= 30, size: 4 },
        },
        edgeOf(line),
        edgeOf(line),
        { stroke: withAlpha(colourOf(line), 30), width: 1, points: { show: false } },
      ]),
    ],
    hooks: {
      // The place of the cursor has moved if the axis has changed.
      draw: [onDraw],
      setSelect: [
        (plot) => {
          const { left, width: size } = plot.select
          if (size < 4) return
          onZoom({ from: plot.posToVal(left, 'x'), to: plot.posToVal(left + size, 'x') })
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
    },
  }
}

function withAlpha(colour: string, percent: number): string {
  return `color-mix(in srgb, ${colour} ${percent}%, transparent)`
}
