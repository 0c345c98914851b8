import type { PointerEvent } from 'react'
import { formatRelative, formatUtc } from './format-time'
import { useNow } from './use-now'

interface RelativeTimeProps {
  /** RFC 3339. */
  at: string
  className?: string
  format?: (at: number, now: number) => string
}

/**
 * A time relative to now, with the full time as its tooltip. The server writes UTC, because it does not know the reader's
 * clock and time zone.
 */
export function RelativeTime({ at, className, format = formatRelative }: RelativeTimeProps) {
  const now = useNow(1000)
  const time = Date.parse(at)
  if (now === null) {
    return (
      <time dateTime={at} className={className}>
        {formatUtc(time)}
      </time>
    )
  }
  return (
    <time dateTime={at} onPointerEnter={showFullTime} className={className}>
      {format(time, now)}
    </time>
  )
}

/** Only under the pointer: to make a formatter for each time, once a second, slows down a list. */
function showFullTime({ currentTarget }: PointerEvent<HTMLTimeElement>): void {
  const time = new Date(currentTarget.dateTime)
  currentTarget.title = time.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })
}
