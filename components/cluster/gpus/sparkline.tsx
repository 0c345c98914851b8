import { memo } from 'react'
import { cn } from '../../ui/class-names'
import { type SparkFrame, sparkHeight, sparkPath, sparkWidth } from './spark-path'

/** One colour for each metric. */
const strokes = {
  load: 'text-(--series-1)',
  memory: 'text-(--series-2)',
  temperature: 'text-(--series-3)',
} as const

interface SparklineProps extends SparkFrame {
  of: keyof typeof strokes
  at: readonly number[]
  values: readonly (number | null)[]
  /** Not needed if numbers beside the chart say the same. */
  label?: string
  className?: string
}

/**
 * A series as a small line chart. A page shows hundreds of them: each has only two paths and no animation. Its range
 * comes as numbers, so that it renders again only with new samples.
 */
export const Sparkline = memo(function Sparkline({
  of,
  at,
  values,
  from,
  to,
  max,
  step = 0,
  label,
  className,
}: SparklineProps) {
  const { line, area } = sparkPath(at, values, { from, to, max, step })
  return (
    <span
      {...(label ? { role: 'img', 'aria-label': label } : {})}
      className={cn('block min-w-0 base:h-4', strokes[of], className)}
    >
      <svg
        aria-hidden
        viewBox={`0 0 ${sparkWidth} ${sparkHeight}`}
        preserveAspectRatio="none"
        className="size-full overflow-visible"
      >
        <path
          d={`M0 ${sparkHeight}H${sparkWidth}`}
          className="stroke-line"
          vectorEffect="non-scaling-stroke"
        />
        <path d={area} className="fill-current opacity-15" />
        <path
          d={line}
          className="fill-none stroke-current"
          strokeWidth={1.25}
          strokeLinecap="round"
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </span>
  )
})
