import 'uplot/dist/uPlot.min.css'
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react'
import { Switch } from '@/components/ui/switch'
import { allPositive, chooseSeries, formatValue, summarize } from './chart-series'
import type { ChartShape } from './detect-shape'
import { SeriesPicker } from './series-picker'
import { usePlot } from './use-plot'

/** Series as a line chart. For the keyboard, it is a slider over the points. */
export function ResultChart({ shape }: { shape: ChartShape }) {
  const host = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<ReadonlySet<number>>(() => chooseSeries(shape.series))
  const [wantsLogarithm, setWantsLogarithm] = useState(false)
  const [cursor, setCursor] = useState<number | null>(null)
  const canBeLogarithmic = useMemo(() => allPositive(shape, chosen), [shape, chosen])
  const logarithmic = wantsLogarithm && canBeLogarithmic
  const onCursor = useCallback((index: number | null) => setCursor(index), [])
  const plot = usePlot(host, shape, { chosen, logarithmic, onCursor })

  const lastPoint = shape.x.values.length - 1
  const at = Math.min(cursor ?? lastPoint, lastPoint)
  const onKeyDown = (event: KeyboardEvent) => {
    const to = nextPoint(event.key, cursor, lastPoint)
    if (to === null) return
    event.preventDefault()
    plot.pointAt(to)
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4 @container">
      <div className="flex min-h-0 flex-1 flex-col gap-4 @2xl:flex-row">
        <div
          ref={host}
          role="slider"
          aria-label={summarize(shape, chosen)}
          aria-valuemin={1}
          aria-valuemax={lastPoint + 1}
          aria-valuenow={at + 1}
          aria-valuetext={readPoint(shape, chosen, at)}
          tabIndex={0}
          onKeyDown={onKeyDown}
          className="h-72 min-w-0 flex-none @2xl:h-auto @2xl:min-h-72 @2xl:flex-1 [&_.u-select]:bg-selection/50 [&_.u-vt]:border-edge"
        />
        <div className="flex flex-col gap-3 @2xl:w-60">
          <SeriesPicker shape={shape} chosen={chosen} at={at} onChange={setChosen} onFocus={plot.focus} />
          <Switch
            label="Logarithmic axis"
            disabled={!canBeLogarithmic}
            checked={logarithmic}
            onCheckedChange={setWantsLogarithm}
            {...(canBeLogarithmic ? {} : { description: 'Only for positive values' })}
          />
          <p className="text-subtle text-xs pointer-coarse:hidden">Drag to zoom in. Double-click to reset.</p>
        </div>
      </div>
    </div>
  )
}

function nextPoint(key: string, from: number | null, last: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return from === null ? 0 : Math.min(from + 1, last)
    case 'ArrowLeft':
      return from === null ? last : Math.max(from - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}

function readPoint({ x, series }: ChartShape, chosen: ReadonlySet<number>, at: number): string {
  const values = series.flatMap(({ name, values: own }, index) => {
    const value = own[at]
    return chosen.has(index)
      ? [`${name} ${value === null || value === undefined ? 'none' : formatValue(value)}`]
      : []
  })
  return `${x.name} ${formatValue(x.values[at] ?? 0)}: ${values.join(', ')}`
}
