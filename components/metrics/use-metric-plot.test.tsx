import { cleanup, render } from '@testing-library/react'
import { useRef } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { makeChartCursor } from './chart-cursor'
import type { Range } from './chart-settings'
import type { MetricLine } from './plot-data'
import { useMetricPlot } from './use-metric-plot'

/** A uPlot chart without a canvas: 10 pixels for each unit of the x axis, which begins at `from`. */
const { FakePlot } = vi.hoisted(() => {
  class Plot {
    static all: Plot[] = []
    from = 0
    readonly over = { clientWidth: 100, clientHeight: 50 }
    readonly data = [[]]
    readonly setCursor = vi.fn()
    readonly setData = vi.fn()
    readonly destroy = vi.fn()
    constructor(readonly options: { hooks: { draw: ((plot: Plot) => void)[] } }) {
      Plot.all.push(this)
    }
    valToPos(value: number): number {
      return (value - this.from) * 10
    }
    draw(): void {
      for (const hook of this.options.hooks.draw) hook(this)
    }
  }
  return { FakePlot: Plot }
})
vi.mock('uplot', () => ({ default: FakePlot }))

const lines: MetricLine[] = [
  {
    id: 'a',
    label: 'a',
    index: 0,
    series: { name: 'loss', count: 2, not_finite: 0, last: 1, x: [0, 9], y: [2, 1] },
  },
]
const cursor = makeChartCursor()

function Chart({ range = null }: { range?: Range | null }) {
  const host = useRef<HTMLDivElement>(null)
  const settings = { cursor, smoothing: 0, logarithmic: false, ignoreOutliers: false, range }
  useMetricPlot(host, lines, { ...settings, onZoom: () => {} })
  return <div ref={host} />
}

beforeEach(() => {
  FakePlot.all = []
  cursor.move(null)
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
})

it('draws the place in each chart, without an event of that chart', () => {
  render([<Chart key="1" />, <Chart key="2" />])
  expect(FakePlot.all).toHaveLength(2)
  cursor.move(3)
  for (const plot of FakePlot.all)
    expect(plot.setCursor).toHaveBeenLastCalledWith({ left: 30, top: 25 }, false)
  cursor.move(null)
  for (const plot of FakePlot.all)
    expect(plot.setCursor).toHaveBeenLastCalledWith({ left: -10, top: -10 }, false)
})

it('hides the place in a chart that does not reach to it', () => {
  render(<Chart />)
  for (const outside of [-1, 11]) {
    cursor.move(5)
    cursor.move(outside)
    expect(FakePlot.all[0]?.setCursor).toHaveBeenLastCalledWith({ left: -10, top: -10 }, false)
  }
})

it('moves the line when the axis changes, and stops after the chart is gone', () => {
  render(<Chart />)
  const [plot] = FakePlot.all
  cursor.move(5)
  if (plot) plot.from = 4
  plot?.draw()
  expect(plot?.setCursor).toHaveBeenLastCalledWith({ left: 10, top: 25 }, false)
  cleanup()
  plot?.setCursor.mockClear()
  cursor.move(6)
  expect(plot?.setCursor).not.toHaveBeenCalled()
  expect(plot?.destroy).toHaveBeenCalled()
})
