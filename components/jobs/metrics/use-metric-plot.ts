import { useTheme } from 'next-themes'
import { type RefObject, useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { readTheme } from '../result/chart-options'
import type { Range } from './chart-settings'
import { type MetricLine, toTables } from './plot-data'
import { makeMetricOptions } from './plot-options'

interface PlotSettings {
  smoothing: number
  logarithmic: boolean
  ignoreOutliers: boolean
  /** The part of the x axis that is shown; null: all of it. */
  range: Range | null
  onCursor: (x: number | null) => void
  onZoom: (range: Range) => void
}

/** A uPlot chart of one metric. New values of the same lines keep the chart. */
export function useMetricPlot(
  host: RefObject<HTMLElement | null>,
  lines: readonly MetricLine[],
  { smoothing, logarithmic, ignoreOutliers, range, onCursor, onZoom }: PlotSettings,
): RefObject<uPlot | null> {
  const plot = useRef<uPlot | null>(null)
  const { resolvedTheme } = useTheme()
  const latest = useRef({ lines, smoothing, range, onCursor, onZoom })
  useEffect(() => {
    latest.current = { lines, smoothing, range, onCursor, onZoom }
  })
  // Other lines, another axis or another theme need a new chart.
  const chart = JSON.stringify([
    lines.map(({ id, label, index, series }) => [id, label, index, series.high !== undefined]),
    range,
    resolvedTheme,
  ])
  useEffect(() => {
    if (!host.current || chart === '') return
    const element = host.current
    const { lines: drawn, smoothing: weight, range: shown } = latest.current
    const options = makeMetricOptions(drawn, {
      theme: readTheme(element),
      width: element.clientWidth,
      height: element.clientHeight,
      logarithmic,
      ignoreOutliers,
      range: shown,
      onCursor: (x) => latest.current.onCursor(x),
      onZoom: (zoomed) => latest.current.onZoom(zoomed),
    })
    const own = new uPlot(options, toData(drawn, { smoothing: weight, logarithmic }), element)
    plot.current = own
    nameCount(element, own)
    const observer = new ResizeObserver(() => {
      if (own.width === element.clientWidth && own.height === element.clientHeight) return
      own.setSize({ width: element.clientWidth, height: element.clientHeight })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      own.destroy()
      plot.current = null
    }
  }, [host, chart, logarithmic, ignoreOutliers])
  useEffect(() => {
    if (!plot.current || !host.current) return
    plot.current.setData(toData(lines, { smoothing, logarithmic }))
    nameCount(host.current, plot.current)
  }, [host, lines, smoothing, logarithmic])
  return plot
}

function toData(
  lines: readonly MetricLine[],
  settings: { smoothing: number; logarithmic: boolean },
): uPlot.AlignedData {
  const tables = toTables(lines, settings)
  const [only] = tables
  if (!only) return [[]]
  return tables.length === 1 ? only : uPlot.join(tables)
}

/** Tests read how many points the canvas has. */
function nameCount(element: HTMLElement, { data: [x] }: uPlot): void {
  element.dataset.points = String(x.length)
}
