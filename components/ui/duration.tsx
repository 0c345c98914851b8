import { cn } from './class-names'
import { formatDuration } from './format-time'
import { useNowWhile } from './use-now'

interface DurationProps {
  /** RFC 3339. */
  from: string
  /** Missing or null while it runs. */
  to?: string | null
  className?: string
}

/** A duration. Counts up while it runs. */
export function Duration({ from, to, className }: DurationProps) {
  const now = useNowWhile(!to)
  const end = to ? Date.parse(to) : now
  const span = end === null ? null : end - Date.parse(from)
  const text = span === null ? '…' : to ? formatDuration(span) : formatCount(span)
  return <span className={cn('whitespace-nowrap tabular-nums', className)}>{text}</span>
}

/** A running duration in whole seconds: it changes once per second. */
function formatCount(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  return seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1000)
}
