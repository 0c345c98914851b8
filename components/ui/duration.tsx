'use client'

import { cn } from './class-names'
import { useNowWhile } from './clock'
import { formatDuration } from './format-time'

interface DurationProps {
  /** RFC 3339. */
  from: string
  /** Left out, or null, while it still runs: then it counts. */
  to?: string | null
  className?: string
}

/** How long something took, or has been taking. */
export function Duration({ from, to, className }: DurationProps) {
  const now = useNowWhile(!to)
  const end = to ? Date.parse(to) : now
  const text =
    end === null ? '…' : formatDuration(to ? end - Date.parse(from) : wholeSeconds(end - Date.parse(from)))
  return <span className={cn('whitespace-nowrap tabular-nums', className)}>{text}</span>
}

/** A running count shows whole seconds; tenths that jump by ten would only look broken. */
function wholeSeconds(milliseconds: number): number {
  return Math.max(0, Math.floor(milliseconds / 1000) * 1000)
}
