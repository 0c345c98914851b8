import { cn } from '../ui/class-names'
import { formatHours } from './format-usage'
import { axisEnd, type WeekBar } from './week-bars'

const parts = [
  { key: 'used', label: 'Used', color: 'bg-accent' },
  { key: 'idle', label: 'Idle', color: 'bg-warning-ink' },
  { key: 'unmeasured', label: 'Not measured', color: 'bg-edge' },
] as const

/** Stacked bars of the GPU hours of each week. Screen readers get a table. */
export function WeekChart({ bars }: { bars: readonly WeekBar[] }) {
  const end = axisEnd(Math.max(...bars.map(({ used, idle, unmeasured }) => used + idle + unmeasured)))
  const shown = parts.filter(
    ({ key }) => key !== 'unmeasured' || bars.some(({ unmeasured }) => unmeasured > 0),
  )
  return (
    <div className="flex flex-col gap-3 p-4">
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {shown.map(({ key, label, color }) => (
          <li key={key} className="flex items-center gap-1.5">
            <span aria-hidden className={cn('size-2.5 rounded-full', color)} />
            <span className="text-muted">{label}</span>
          </li>
        ))}
      </ul>
      <div aria-hidden className="grid grid-cols-[auto_1fr] gap-x-2 text-subtle text-xs tabular-nums">
        <div className="flex h-44 flex-col justify-between text-right">
          <span className="-mt-2">{formatHours(end)} h</span>
          <span className="-mb-2">0</span>
        </div>
        <div className="flex h-44 min-w-0 items-end gap-px border-b border-line-strong">
          {bars.map((bar) => (
            <Bar key={bar.week} bar={bar} end={end} />
          ))}
        </div>
        <div />
        <div className="mt-1.5 flex justify-between">
          <span>{bars[0]?.week}</span>
          <span>{bars.length > 1 ? bars.at(-1)?.week : ''}</span>
        </div>
      </div>
      <BarTable bars={bars} />
    </div>
  )
}

function Bar({ bar, end }: { bar: WeekBar; end: number }) {
  return (
    <div
      title={`Week of ${bar.week}: ${parts.map(({ key, label }) => `${label.toLowerCase()} ${formatHours(bar[key])} h`).join(', ')}`}
      className="flex h-full min-w-0 flex-1 flex-col-reverse hover:bg-hover"
    >
      {parts.map(({ key, color }) => (
        <div
          key={key}
          className={cn('mx-auto w-4/5 shrink-0', color)}
          style={{ height: `${(bar[key] / end) * 100}%` }}
        />
      ))}
    </div>
  )
}

function BarTable({ bars }: { bars: readonly WeekBar[] }) {
  return (
    <table className="sr-only">
      <caption>GPU hours by week</caption>
      <thead>
        <tr>
          <th scope="col">Week of</th>
          {parts.map(({ key, label }) => (
            <th key={key} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.week}>
            <th scope="row">{bar.week}</th>
            {parts.map(({ key }) => (
              <td key={key}>{formatHours(bar[key])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
