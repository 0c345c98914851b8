'use client'

import { formatRelative, formatUtc } from '../../ui/format-time'
import { useNow } from '../../ui/use-now'

interface ExpectedStartProps {
  /** RFC 3339; null if the forecast finds no start. */
  at: string | null
}

/** A forecast below this counts as now. */
const soonMs = 10_000

/** The expected start of a waiting job, relative to now, with the full time as the title. */
export function ExpectedStart({ at }: ExpectedStartProps) {
  const now = useNow(1000)
  if (at === null) {
    return (
      <span className="text-subtle" title="With the current nodes and jobs, gpuq cannot predict a start.">
        unknown
      </span>
    )
  }
  const time = Date.parse(at)
  // The server does not know the reader's clock and time zone.
  if (now === null) return <time dateTime={at}>{formatUtc(time)}</time>
  const local = new Date(time).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'medium' })
  return (
    <time dateTime={at} title={local} className="whitespace-nowrap">
      {time - now < soonMs ? 'any moment' : formatRelative(time, now)}
    </time>
  )
}
