'use client'

import { useEffect } from 'react'
import { setClockOffset } from '../../ui/use-now'
import { nextClockOffset } from './clock-offset'

let offset = 0

/**
 * Makes all times on the pages follow the server's clock: reads it with the page, and when the page is shown again, because a
 * suspended machine may have corrected its clock.
 */
export function ServerClock() {
  useEffect(() => {
    const stopped = new AbortController()
    const read = () => void readServerClock(stopped.signal)
    read()
    const options = { signal: stopped.signal }
    document.addEventListener(
      'visibilitychange',
      () => document.visibilityState === 'visible' && read(),
      options,
    )
    return () => stopped.abort()
  }, [])
  return null
}

async function readServerClock(signal: AbortSignal): Promise<void> {
  const sentAt = Date.now()
  // Without an answer, the browser's clock is the best one.
  const answer = await fetch('/healthz', { method: 'HEAD', cache: 'no-store', signal }).catch(() => null)
  if (answer === null || signal.aborted) return
  offset = nextClockOffset(offset, { date: answer.headers.get('date'), sentAt, receivedAt: Date.now() })
  setClockOffset(offset)
}
