'use client'

import { useNow } from '../../ui/clock'
import { formatRelative, formatUtc } from '../../ui/format-time'

interface ExpectedStartProps {
  /** RFC 3339; null where it would not start under what is free now. */
  at: string | null
  /** What stands there when no start can be told. */
  unknown?: string
}

/** Below this, what was forecast is as good as now. */
const soonMs = 10_000

/** When a waiting job should start: how long from now, with the time itself as the title. */
export function ExpectedStart({ at, unknown = 'not foreseen' }: ExpectedStartProps) {
  const now = useNow(1000)
  if (at === null) {
    return (
      <span className="text-subtle" title="It will not start under what is free and running now.">
        {unknown}
      </span>
    )
  }
  const time = Date.parse(at)
  // The server knows neither the reader's clock nor place.
  if (now === null) return <time dateTime={at}>{formatUtc(time)}</time>
  const local = new Date(time).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'medium' })
  return (
    <time dateTime={at} title={local} className="whitespace-nowrap">
      {time - now < soonMs ? 'any moment' : formatRelative(time, now)}
    </time>
  )
}
