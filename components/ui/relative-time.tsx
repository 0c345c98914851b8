'use client'

import { useNow } from './clock'
import { formatRelative, formatUtc } from './format-time'

interface RelativeTimeProps {
  /** RFC 3339. */
  at: string
  className?: string
}

/**
 * How long ago, with the full time as its title. The server, which knows neither the reader's clock nor place,
 * writes UTC; the browser takes over from there.
 */
export function RelativeTime({ at, className }: RelativeTimeProps) {
  const now = useNow(1000)
  const time = Date.parse(at)
  if (now === null) {
    return (
      <time dateTime={at} className={className}>
        {formatUtc(time)}
      </time>
    )
  }
  const local = new Date(time).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })
  return (
    <time dateTime={at} title={local} className={className}>
      {formatRelative(time, now)}
    </time>
  )
}
