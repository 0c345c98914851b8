import { formatRelative } from '../../ui/format-time'
import { RelativeTime } from '../../ui/relative-time'

/** A forecast below this counts as now. */
const soonMs = 10_000

function formatForecast(at: number, now: number): string {
  return at - now < soonMs ? 'any moment' : formatRelative(at, now)
}

/** The expected start of a waiting job. `at` is null if the forecast finds no start. */
export function ExpectedStart({ at }: { at: string | null }) {
  if (at !== null) return <RelativeTime at={at} format={formatForecast} className="whitespace-nowrap" />
  return (
    <span className="text-subtle" title="With the current nodes and jobs, gpuq cannot predict a start.">
      unknown
    </span>
  )
}
