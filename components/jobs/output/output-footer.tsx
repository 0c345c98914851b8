import { useEffect, useState } from 'react'
import { formatCount, formatNumber } from '@/components/ui/format-number'
import type { OutputStore } from './output-store'

/** The interval of screen reader announcements for a running job. */
const announceEveryMs = 15_000

interface OutputFooterProps {
  store: OutputStore
  live: boolean
  /** The page has only a part of the output so far. */
  loading: boolean
  following: boolean
}

/** The number of lines, and whether the job still runs. */
export function OutputFooter({ store, live, loading, following }: OutputFooterProps) {
  const total = store.lines.end
  const { stderr } = store.lines.counts
  const summary = store.isTail
    ? 'The last lines'
    : `${formatCount(total, 'line')}${stderr > 0 ? `, ${formatNumber(stderr)} on stderr` : ''}`
  const spoken = useThrottled(summary)
  return (
    <footer className="flex min-h-7 flex-wrap items-center gap-x-4 border-t bg-sunken px-3 py-1 text-muted text-xs tabular-nums">
      <span aria-hidden>{summary}</span>
      <span role="status" className="sr-only">
        {spoken}
      </span>
      {store.lines.first > 0 ? (
        <span>
          Lines 1 to {formatNumber(store.lines.first)} are no longer on this page. Download the output to see
          them.
        </span>
      ) : null}
      <span className="ml-auto">{describeState({ live, loading, following, tail: store.isTail })}</span>
    </footer>
  )
}

interface ShownState extends Pick<OutputFooterProps, 'live' | 'loading' | 'following'> {
  tail: boolean
}

function describeState({ live, loading, following, tail }: ShownState): string {
  if (tail) return 'Loading the earlier lines'
  if (live) return following ? 'Following output' : 'Live, not following'
  return loading ? 'Loading more' : 'Complete'
}

/** The latest value, updated at most every few seconds. */
function useThrottled(value: string): string {
  const [throttled, setThrottled] = useState({ value, since: 0 })
  useEffect(() => {
    if (value === throttled.value) return
    const wait = Math.max(0, throttled.since + announceEveryMs - Date.now())
    const timer = setTimeout(() => setThrottled({ value, since: Date.now() }), wait)
    return () => clearTimeout(timer)
  }, [value, throttled])
  return throttled.value
}
