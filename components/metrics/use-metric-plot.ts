import { useTheme } from 'next-themes'
import { type RefObject, useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { readTheme } from '../jobs/result/chart-options'
import type { ChartCursor } from './chart-cursor'
import type { Range } from './chart-settings'
import { type MetricLine, toTables } from './plot-data'
import { makeMetricOptions } from './plot-options'

interface PlotSettings {
  cursor: ChartCursor
  smoothing: number
  logarithmic: boolean
  ignoreOutliers: boolean
  /** The part of the x axis that is shown; null: all of it. */
  range: Range | null
  onZoom: (range: Range) => void
}

/** A uPlot chart of one metric. New values of the same lines keep the chart. */
export function useMetricPlot(
  host: RefObject<HTMLElement | null>,
  lines: readonly MetricLine[],
  { cursor, smoothing, logarithmic, ignoreOutliers, range, onZoom }: PlotSettings,
): RefObject<uPlot | null> {
  const plot = useRef<uPlot | null>(null)
  const { resolvedTheme } = useTheme()
  const latest = useRef({ lines, smoothing, range, onZoom })
  useEffect(() => {
    latest.current = { lines, smoothing, range, onZoom }
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
      onDraw: (drawnPlot) => showCursor(drawnPlot, cursor.get()),
      onZoom: (zoomed) => latest.current.onZoom(zoomed),
    })
    const own = new uPlot(options, toData(drawn, { smoothing: weight, logarithmic }), element)
    plot.current = own
    nameCount(element, own)
    const unsubscribe = cursor.subscribe(() => showCursor(own, cursor.get()))
    const observer = new ResizeObserver(() => {
      if (own.width === element.clientWidth && own.height === element.clientHeight) return
      own.setSize({ width: element.clientWidth, height: element.clientHeight })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      unsubscribe()
      own.destroy()
      plot.current = null
    }
  }, [host, cursor, chart, logarithmic, ignoreOutliers])
  useEffect(() => {
    if (!plot.current || !host.current) return
    plot.current.setData(toData(lines, { smoothing, logarithmic }))
    nameCount(host.current, plot.current)
  }, [host, lines, smoothing, logarithmic])
  return plot
}

/** Draws the cursor at a place of the x axis. A place outside of the chart, or none, hides it. */
function showCursor(plot: uPlot, place: number | null): void {
  const { clientWidth, clientHeight } = plot.over
  const left = place === null ? -1 : plot.valToPos(place, 'x')
  const hidden = !(left >= 0 && left <= clientWidth)
  // Without the hooks of uPlot: the place is the page's, not this chart's.
  plot.setCursor(hidden ? { left: -10, top: -10 } : { left, top: clientHeight / 2 }, false)
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
