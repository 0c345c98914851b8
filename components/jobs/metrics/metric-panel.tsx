import 'uplot/dist/uPlot.min.css'
import { Download, Image, Maximize2, Minimize2 } from 'lucide-react'
import { type KeyboardEvent, memo, useRef, useState } from 'react'
import { api } from '@/components/queries/queries'
import { cn } from '@/components/ui/class-names'
import { DropdownMenu, MenuItem } from '@/components/ui/dropdown-menu'
import { formatCount } from '@/components/ui/format-number'
import { IconButton } from '@/components/ui/icon-button'
import { formatValue } from '../result/chart-series'
import { showText } from '../result/json-text'
import type { Range } from './chart-settings'
import { exportPng } from './export-png'
import { LineSample } from './line-sample'
import { hasWholeAxis, type MetricLine, rangeOf, valueAt } from './plot-data'
import { useMetricPlot } from './use-metric-plot'

interface MetricPanelProps {
  name: string
  /** The x axis. */
  x: string
  /** The metric of each job that has it. */
  lines: readonly MetricLine[]
  smoothing: number
  logarithmic: boolean
  ignoreOutliers: boolean
  /** The shown part of the x axis; null: all of it. */
  zoom: Range | null
  onZoom: (range: Range | null) => void
}

/** A chart of one metric. For the keyboard, it is a slider over the x axis; plus, minus and 0 zoom. */
export const MetricPanel = memo(function MetricPanel(props: MetricPanelProps) {
  const { name, x, lines, smoothing, logarithmic, ignoreOutliers, zoom, onZoom } = props
  const host = useRef<HTMLDivElement>(null)
  const [cursor, setCursor] = useState<number | null>(null)
  const [large, setLarge] = useState(false)
  const plot = useMetricPlot(host, lines, {
    smoothing,
    logarithmic,
    ignoreOutliers,
    range: zoom,
    onCursor: setCursor,
    onZoom,
  })
  const title = showText(name)
  const range = zoom ?? rangeOf(lines) ?? { from: 0, to: 1 }
  const isWhole = hasWholeAxis(lines)
  const place = cursor ?? range.to
  const at = isWhole ? Math.round(place) : place
  const readValue = (line: MetricLine) =>
    cursor === null && zoom === null ? line.series.last : valueAt(line, at)
  const onKeyDown = (event: KeyboardEvent) => {
    const zoomed = zoomByKey(event.key, range, at)
    const to = moveByKey(event.key, range, cursor, isWhole)
    if (zoomed === undefined && to === null) return
    event.preventDefault()
    if (zoomed !== undefined) onZoom(zoomed)
    const own = plot.current
    if (to === null || !own) return
    own.setCursor({ left: own.valToPos(to, 'x'), top: own.over.clientHeight / 2 })
    // Exactly there, not at the nearest pixel.
    setCursor(to)
  }
  return (
    <li className={cn('flex min-w-0 flex-col rounded-lg border bg-surface', large && 'col-span-full')}>
      <header className="flex min-h-9 items-center gap-2 pt-1 pr-1.5 pl-3">
        <h3 className="min-w-0 flex-1 truncate font-medium text-ink text-sm" title={title}>
          {title}
        </h3>
        <IconButton
          icon={large ? Minimize2 : Maximize2}
          label={`Enlarge ${title}`}
          pressed={large}
          size="sm"
          onClick={() => setLarge(!large)}
        />
        <DropdownMenu trigger={<IconButton icon={Download} label={`Export ${title}`} size="sm" />}>
          <MenuItem
            icon={Image}
            onSelect={() => {
              const canvas = host.current?.querySelector('canvas')
              if (canvas) exportPng(canvas, title, lines)
            }}
          >
            PNG of this chart
          </MenuItem>
          {lines.map(({ id, label }) => (
            <MenuItem key={id} icon={Download} href={api.jobs.metricsCsvUrl(id, csvNames(x, name))} download>
              {lines.length > 1 ? `CSV of ${label}` : 'CSV of all values'}
            </MenuItem>
          ))}
        </DropdownMenu>
      </header>
      <Values x={x} at={at} lines={lines} readValue={readValue} />
      <div
        ref={host}
        role="slider"
        aria-label={summarize(title, x, lines)}
        aria-valuemin={range.from}
        aria-valuemax={range.to}
        aria-valuenow={Math.min(range.to, Math.max(range.from, at))}
        aria-valuetext={readValues(x, at, lines, readValue)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onDoubleClick={() => onZoom(null)}
        className={cn(
          'mx-1 mb-1 min-w-0 [&_.u-select]:bg-selection/50 [&_.u-vt]:border-edge',
          large ? 'h-[min(30rem,70vh)]' : 'h-48',
        )}
      />
    </li>
  )
})

interface ValuesProps {
  x: string
  at: number
  lines: readonly MetricLine[]
  readValue: (line: MetricLine) => number | null
}

/** The values at the cursor, or the last ones. */
function Values({ x, at, lines, readValue }: ValuesProps) {
  return (
    <p className="flex flex-wrap gap-x-3 px-3 pb-1 text-muted text-xs tabular-nums">
      <span className="text-subtle">
        {showText(x)} {formatValue(at)}
      </span>
      {lines.map((line) => (
        <span key={line.id} className="inline-flex items-center gap-1.5">
          <LineSample index={line.index} />
          {lines.length > 1 ? <span className="max-w-40 truncate">{line.label}</span> : null}
          {formatOr(readValue(line))}
          <NotFinite count={line.series.not_finite} />
        </span>
      ))}
    </p>
  )
}

function NotFinite({ count }: { count: number }) {
  return count === 0 ? null : (
    <span className="text-warning-ink">{formatCount(count, 'value')} not finite</span>
  )
}

function formatOr(value: number | null): string {
  return value === null ? '–' : formatValue(value)
}

/** A counter is a metric too. The line and the time are always in the file. */
function csvNames(x: string, name: string): string[] {
  return x === 'line' || x === 'time' ? [name] : [x, name]
}

function summarize(title: string, x: string, lines: readonly MetricLine[]): string {
  const count = lines.reduce((sum, { series }) => sum + series.count, 0)
  return `${title} over ${showText(x)}, ${formatCount(count, 'value')}`
}

function readValues(
  x: string,
  at: number,
  lines: readonly MetricLine[],
  readValue: ValuesProps['readValue'],
): string {
  const values = lines.map(
    (line) => `${lines.length > 1 ? `${line.label} ` : ''}${formatOr(readValue(line))}`,
  )
  return `${showText(x)} ${formatValue(at)}: ${values.join(', ')}`
}

const steps = 50

function moveByKey(key: string, { from, to }: Range, cursor: number | null, isWhole: boolean): number | null {
  const part = (to - from) / steps
  const step = isWhole ? Math.max(1, Math.round(part)) : part
  switch (key) {
    case 'ArrowRight':
      return cursor === null ? from : Math.min(cursor + step, to)
    case 'ArrowLeft':
      return cursor === null ? to : Math.max(cursor - step, from)
    case 'Home':
      return from
    case 'End':
      return to
    default:
      return null
  }
}

/** The next range; null: all; undefined: the key does not zoom. */
function zoomByKey(key: string, { from, to }: Range, at: number): Range | null | undefined {
  const half = (to - from) / 4
  if (key === '+' || key === '=') return { from: Math.max(from, at - half), to: Math.min(to, at + half) }
  if (key === '-') return { from: from - 2 * half, to: to + 2 * half }
  return key === '0' ? null : undefined
}
