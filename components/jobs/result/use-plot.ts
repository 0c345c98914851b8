'use client'

import { useTheme } from 'next-themes'
import { type RefObject, useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { makeOptions, readTheme } from './chart-options'
import type { ChartShape } from './detect-shape'

interface Plot {
  /** Puts the cursor on a point. */
  pointAt: (index: number) => void
  /** Brings one series forward; null brings all back. */
  focus: (series: number | null) => void
}

interface PlotLook {
  chosen: ReadonlySet<number>
  logarithmic: boolean
  onCursor: (index: number | null) => void
}

/** Keeps a uPlot chart in an element: drawn anew for other data or another theme, resized with the element. */
export function usePlot(host: RefObject<HTMLElement | null>, shape: ChartShape, look: PlotLook): Plot {
  const plot = useRef<uPlot | null>(null)
  const { resolvedTheme } = useTheme()
  const { chosen, logarithmic, onCursor } = look
  const latest = useRef(chosen)
  useEffect(() => {
    latest.current = chosen
    // Series 0 is the axis itself.
    shape.series.forEach((_, index) => {
      plot.current?.setSeries(index + 1, { show: chosen.has(index) })
    })
  }, [chosen, shape])

  useEffect(() => {
    const element = host.current
    // The theme is read from the page; that it changed is why the chart is drawn anew.
    if (!element || resolvedTheme === undefined) return
    const { clientWidth: width, clientHeight: height } = element
    const theme = readTheme(element)
    const options = makeOptions(shape, {
      theme,
      width,
      height,
      chosen: latest.current,
      logarithmic,
      onCursor,
    })
    const data: uPlot.AlignedData = [[...shape.x.values], ...shape.series.map(({ values }) => [...values])]
    const own = new uPlot(options, data, element)
    plot.current = own
    const observer = new ResizeObserver(() => {
      // Even the same size would take the cursor away.
      if (own.width === element.clientWidth && own.height === element.clientHeight) return
      own.setSize({ width: element.clientWidth, height: element.clientHeight })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      own.destroy()
      plot.current = null
    }
  }, [host, shape, logarithmic, onCursor, resolvedTheme])

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
