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
  const span = end === null ? null : end - Date.parse(from)
  const text = span === null ? '…' : to ? formatDuration(span) : formatCount(span)
  return <span className={cn('whitespace-nowrap tabular-nums', className)}>{text}</span>
}

/** A running count shows whole seconds; tenths that jump by ten would only look broken. */
function formatCount(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  return seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1000)
}
