import { formatStartRange } from '@/lib/contract/cluster/start-range'
import type { StartRange } from '@/lib/contract/jobs'
import { formatRelative } from '../../ui/format-time'
import { RelativeTime } from '../../ui/relative-time'

/** A forecast below this counts as now. */
const soonMs = 10_000

function formatForecast(at: number, now: number): string {
  return at - now < soonMs ? 'any moment' : formatRelative(at, now)
}

interface ExpectedStartProps {
  /** Null if the forecast finds no start. */
  at: string | null
  range: StartRange | null
}

/** The expected start of a waiting job: a range, or one time if the range is shorter than a minute. */
export function ExpectedStart({ at, range }: ExpectedStartProps) {
  if (at !== null) {
    const format = (time: number, now: number) =>
      (range && formatStartRange(range, now)) ?? formatForecast(time, now)
    return <RelativeTime at={at} format={format} />
  }
  return (
    <span className="text-subtle" title="It depends on jobs or nodes whose end or return is not known.">
      unknown
    </span>
  )
}
