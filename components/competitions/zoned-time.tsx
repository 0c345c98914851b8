import { formatUtc } from '../ui/format-time'
import { useHydrated } from '../ui/use-hydrated'
import { formatZoned } from './phase-times'

interface ZonedTimeProps {
  /** RFC 3339. */
  at: string
  /** The time zone of the competition. */
  zone: string
}

/** A time in the zone of the reader, and in that of the competition if its clocks show another. The server does not know the first. */
export function ZonedTime({ at, zone }: ZonedTimeProps) {
  const hydrated = useHydrated()
  const time = Date.parse(at)
  if (!hydrated) return <time dateTime={at}>{formatUtc(time)}</time>
  const { own, theirs } = formatZoned(time, zone)
  return (
    <>
      <time dateTime={at}>{own}</time>
      {theirs === null ? null : <span className="text-subtle"> ({theirs})</span>}
    </>
  )
}
