import { useTheme } from 'next-themes'
import { type RefObject, useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { makeOptions, readTheme } from './chart-options'
import type { ChartShape } from './detect-shape'

interface Plot {
  /** Moves the cursor to a point. */
  pointAt: (index: number) => void
  /** Highlights one series; null highlights none. */
  focus: (series: number | null) => void
}

interface PlotSettings {
  chosen: ReadonlySet<number>
  logarithmic: boolean
  onCursor: (index: number | null) => void
}

/**
 * A uPlot chart in an element. New points keep the chart and its zoom. Another axis or theme creates a new chart. The
 * series of a chart do not change.
 */
export function usePlot(
  host: RefObject<HTMLElement | null>,
  shape: ChartShape,
  settings: PlotSettings,
): Plot {
  const plot = useRef<uPlot | null>(null)
  const { resolvedTheme } = useTheme()
  const { chosen, logarithmic, onCursor } = settings
  const latest = useRef({ shape, chosen })
  useEffect(() => {
    const own = plot.current
    const { shape: drawn } = latest.current
    latest.current = { shape, chosen }
    if (!own) return
    // Series 0 is the axis itself.
    for (const index of shape.series.keys()) own.setSeries(index + 1, { show: chosen.has(index) })
    if (shape !== drawn) own.setData(toData(shape), !isZoomed(own))
  }, [shape, chosen])

  useEffect(() => {
    // A dependency: the chart reads its colours from the page, so a new theme needs a new chart.
    if (!host.current || resolvedTheme === undefined) return
    const { own, destroy } = draw(host.current, latest.current.shape, {
      chosen: latest.current.chosen,
      logarithmic,
      onCursor,
    })
    plot.current = own
    return () => {
      destroy()
      plot.current = null
    }
  }, [host, logarithmic, onCursor, resolvedTheme])

  return {
    pointAt: (index) => {
      const own = plot.current
      const at = shape.x.values[index]
      if (!own || at === undefined) return
      own.setCursor({ left: own.valToPos(at, 'x'), top: own.over.clientHeight / 2 })
    },
    focus: (series) =>
      plot.current?.setSeries(series === null ? null : series + 1, { focus: series !== null }),
  }
}

function draw(element: HTMLElement, shape: ChartShape, settings: PlotSettings) {
  const { clientWidth: width, clientHeight: height } = element
  const options = makeOptions(shape, { ...settings, theme: readTheme(element), width, height })
  const own = new uPlot(options, toData(shape), element)
  const observer = new ResizeObserver(() => {
    // Setting the same size would hide the cursor.
    if (own.width === element.clientWidth && own.height === element.clientHeight) return
    own.setSize({ width: element.clientWidth, height: element.clientHeight })
  })
  observer.observe(element)
  const destroy = () => {
    observer.disconnect()
    own.destroy()
  }
  return { own, destroy }
}

function toData({ x, series }: ChartShape): uPlot.AlignedData {
  return [[...x.values], ...series.map(({ values }) => [...values])]
}

function isZoomed({ scales, data: [at] }: uPlot): boolean {
  const { min, max } = scales.x ?? {}
  return (min ?? 0) > (at[0] ?? 0) || (max ?? 0) < (at[at.length - 1] ?? 0)
}
