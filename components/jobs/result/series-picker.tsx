import { Checkbox } from '@/components/ui/checkbox'
import { formatValue } from './chart-series'
import type { ChartShape } from './detect-shape'
import { showText } from './json-text'
import { LineSample } from './line-sample'

interface SeriesPickerProps {
  shape: ChartShape
  chosen: ReadonlySet<number>
  /** The index of the point whose values are shown. */
  at: number
  onChange: (chosen: ReadonlySet<number>) => void
  /** The series under the pointer, or null. */
  onFocus: (series: number | null) => void
}

/** The visible series and their values at the cursor. */
export function SeriesPicker({ shape, chosen, at, onChange, onFocus }: SeriesPickerProps) {
  const toggle = (index: number, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(index)
    else next.delete(index)
    onChange(next)
  }
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Series</legend>
      <p className="flex justify-between gap-2 border-b pb-1 text-muted text-xs tabular-nums">
        <span className="min-w-0 truncate">{showText(shape.x.name)}</span>
        <span>{formatValue(shape.x.values[at] ?? 0)}</span>
      </p>
      <ul className="max-h-64 overflow-y-auto py-1">
        {shape.series.map(({ name, values }, index) => {
          const value = values[at]
          return (
            <li
              key={name}
              onMouseEnter={() => onFocus(index)}
              onMouseLeave={() => onFocus(null)}
              className="flex min-h-7 items-center gap-2"
            >
              <Checkbox
                checked={chosen.has(index)}
                onCheckedChange={(on) => toggle(index, on)}
                onFocus={() => onFocus(index)}
                onBlur={() => onFocus(null)}
                className="min-w-0 flex-1"
                label={
                  <span className="flex min-w-0 items-center gap-2">
                    <LineSample index={index} />
                    <span className="min-w-0 break-all">{showText(name)}</span>
                  </span>
                }
              />
              <span className="shrink-0 text-muted text-xs tabular-nums">
                {value === null || value === undefined ? '–' : formatValue(value)}
              </span>
            </li>
          )
        })}
      </ul>
    </fieldset>
  )
}
