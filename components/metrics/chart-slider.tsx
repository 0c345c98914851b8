import type { KeyboardEvent, PointerEvent, RefObject } from 'react'
import type uPlot from 'uplot'
import { cn } from '@/components/ui/class-names'
import { formatCount } from '@/components/ui/format-number'
import { formatValue } from '../jobs/result/chart-series'
import { showText } from '../jobs/result/json-text'
import { type ChartCursor, isChart } from './chart-cursor'
import { moveByKey, zoomByKey } from './chart-keys'
import type { Range } from './chart-settings'
import { hasLabels, useCursorReading } from './cursor-values'
import type { MetricLine } from './plot-data'

interface ChartSliderProps {
  /** Where the chart is drawn. */
  host: RefObject<HTMLDivElement | null>
  plot: RefObject<uPlot | null>
  title: string
  x: string
  lines: readonly MetricLine[]
  cursor: ChartCursor
  zoom: Range | null
  onZoom: (range: Range | null) => void
  className: string
}

/**
 * The element of a chart, which moves the cursor of all charts. For the keyboard, it is a slider over the x axis; plus, minus and 0
 * zoom, and Escape clears the cursor.
 */
export function ChartSlider(props: ChartSliderProps) {
  const { host, plot, title, x, lines, cursor, zoom, onZoom, className } = props
  const { range, isWhole, at, values } = useCursorReading(lines, cursor, zoom)
  // Charts of steps have no place between two steps.
  const moveTo = (place: number) => cursor.move(isWhole ? Math.round(place) : place)
  const onKeyDown = (event: KeyboardEvent) => {
    const place = cursor.get()
    const clears = event.key === 'Escape' && place !== null
    const zoomed = zoomByKey(event.key, range, at)
    const to = moveByKey(event.key, range, place, isWhole)
    if (!clears && zoomed === undefined && to === undefined) return
    event.preventDefault()
    if (clears) cursor.move(null)
    if (zoomed !== undefined) onZoom(zoomed)
    if (to !== undefined) moveTo(to)
  }
  const onPointer = ({ clientX }: PointerEvent) => {
    if (!plot.current) return
    const { left, width } = plot.current.over.getBoundingClientRect()
    // The labels of the y axis are a part of the chart too.
    if (clientX < left || clientX > left + width) cursor.move(null)
    else moveTo(plot.current.posToVal(clientX - left, 'x'))
  }
  const labelled = (line: MetricLine, nth: number) =>
    `${hasLabels(lines) ? `${line.label} ` : ''}${values[nth]}`
  return (
    <div
      ref={host}
      data-chart
      role="slider"
      aria-label={summarize(title, x, lines)}
      aria-valuemin={range.from}
      aria-valuemax={range.to}
      aria-valuenow={Math.min(range.to, Math.max(range.from, at))}
      aria-valuetext={`${showText(x)} ${formatValue(at)}: ${lines.map(labelled).join(', ')}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget }) => {
        if (!isChart(relatedTarget)) cursor.move(null)
      }}
      onPointerDown={onPointer}
      onPointerMove={onPointer}
      onPointerLeave={({ pointerType }) => {
        // The values stay when a finger is lifted, so that they can be read.
        if (pointerType !== 'touch') cursor.move(null)
      }}
      // The page scrolls.
      onPointerCancel={() => cursor.move(null)}
      onDoubleClick={() => onZoom(null)}
      className={cn(
        'mx-1 mb-1 min-w-0 touch-pan-y touch-pinch-zoom [&_.u-select]:bg-selection/50 [&_.u-vt]:border-edge',
        className,
      )}
    />
  )
}

function summarize(title: string, x: string, lines: readonly MetricLine[]): string {
  const count = lines.reduce((sum, { series }) => sum + series.count, 0)
  return `${title} over ${showText(x)}, ${formatCount(count, 'value')}`
}
