'use client'

import { useEffect, useState } from 'react'
import { formatCount } from '@/components/ui/format-number'
import type { OutputStore } from './output-store'

/** Between two things that a screen reader says about a running job. */
const announceEveryMs = 15_000

interface OutputFooterProps {
  store: OutputStore
  live: boolean
  following: boolean
}

/** How much there is, and whether more is to come. */
export function OutputFooter({ store, live, following }: OutputFooterProps) {
  const total = store.endLine
  const { stderr } = store.counts
  const summary = `${formatCount(total)} ${total === 1 ? 'line' : 'lines'}${stderr > 0 ? `, ${formatCount(stderr)} on stderr` : ''}`
  const spoken = useCalmed(summary)
  return (
    <footer className="flex min-h-7 flex-wrap items-center gap-x-4 border-t bg-sunken px-3 py-1 text-muted text-xs tabular-nums">
      <span aria-hidden>{summary}</span>
      <span role="status" className="sr-only">
        {spoken}
      </span>
      {store.firstLine > 0 ? (
        <span>
          Lines up to {formatCount(store.firstLine)} are not kept on this page. The download has them.
        </span>
      ) : null}
      <span className="ml-auto">
        {live ? (following ? 'Following the end' : 'Live, not following') : 'Complete'}
      </span>
    </footer>
  )
}

/** The latest value, taken over at once at first and then at most every few seconds. */
function useCalmed(value: string): string {
  const [calm, setCalm] = useState({ value, since: 0 })
  useEffect(() => {
    if (value === calm.value) return
    const wait = Math.max(0, calm.since + announceEveryMs - Date.now())
    const timer = setTimeout(() => setCalm({ value, since: Date.now() }), wait)
    return () => clearTimeout(timer)
  }, [value, calm])
  return calm.value
}
