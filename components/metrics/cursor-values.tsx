import { useMemo } from 'react'
import { formatCount } from '@/components/ui/format-number'
import { formatValue } from '../jobs/result/chart-series'
import { showText } from '../jobs/result/json-text'
import { LineSample } from '../jobs/result/line-sample'
import { type ChartCursor, useCursorPlace } from './chart-cursor'
import type { Range } from './chart-settings'
import { hasWholeAxis, type MetricLine, rangeOf, readLine } from './plot-data'

/** What a chart shows at the cursor. */
export interface CursorReading {
  /** The shown part of the x axis. */
  range: Range
  /** The x axis has only whole numbers, such as steps. */
  isWhole: boolean
  /** The place of the cursor, or the end of the range. */
  at: number
  /** The value of each line there, as text. */
  values: string[]
}

/** Reads the lines of a chart at the cursor. Without a cursor and without a zoom, it reads their last values. */
export function useCursorReading(
  lines: readonly MetricLine[],
  cursor: ChartCursor,
  zoom: Range | null,
): CursorReading {
  const place = useCursorPlace(cursor)
  const isWhole = useMemo(() => hasWholeAxis(lines), [lines])
  const range = zoom ?? rangeOf(lines) ?? { from: 0, to: 1 }
  // A zoom may end between two steps.
  const at = place ?? (isWhole ? Math.round(range.to) : range.to)
  const values = lines.map((line) => readLine(line, place === null && zoom === null ? null : at))
  return { range, isWhole, at, values }
}

interface CursorValuesProps {
  x: string
  lines: readonly MetricLine[]
  cursor: ChartCursor
  zoom: Range | null
}

/** The values of all lines at the cursor, or the last ones. */
export function CursorValues({ x, lines, cursor, zoom }: CursorValuesProps) {
  const { at, values } = useCursorReading(lines, cursor, zoom)
  return (
    <p className="flex flex-wrap gap-x-3 px-3 pb-1 text-muted text-xs tabular-nums">
      <span className="text-subtle">
        {showText(x)} {formatValue(at)}
      </span>
      {lines.map((line, nth) => (
        <span key={line.id} className="inline-flex max-w-full flex-wrap items-center gap-x-1.5">
          <LineSample index={line.index} />
          {hasLabels(lines) ? (
            <span className="max-w-40 truncate" title={line.label}>
              {line.label}
            </span>
          ) : null}
          {line.group ? <span className="whitespace-nowrap text-subtle">n = {line.group.count}</span> : null}
          <span className="whitespace-nowrap text-ink">{values[nth]}</span>
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

/** Returns true if the lines need their names: a chart of one job has none. */
export function hasLabels(lines: readonly MetricLine[]): boolean {
  return lines.length > 1 || lines.some(({ group }) => group !== undefined)
}
