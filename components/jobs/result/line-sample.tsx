import { dashOf, seriesColours } from './chart-options'

/** A sample of the line of a series or a job. */
export function LineSample({ index }: { index: number }) {
  return (
    <svg aria-hidden="true" width="16" height="4" className="shrink-0">
      <line
        x1="0"
        x2="16"
        y1="2"
        y2="2"
        stroke={`var(--series-${(index % seriesColours) + 1})`}
        strokeWidth="3"
        strokeDasharray={dashOf(index).join(' ')}
      />
    </svg>
  )
}
