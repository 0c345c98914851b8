import { render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RelativeTime } from '../../ui/relative-time'
import { setClockOffset } from '../../ui/use-now'
import { ServerClock } from './server-clock'

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    async () => new Response(null, { headers: { date: new Date(Date.now() + 600_000).toUTCString() } }),
  )
})
afterEach(() => {
  vi.unstubAllGlobals()
  setClockOffset(0)
})

it('a browser that is 10 minutes behind shows the times of the server', async () => {
  const at = new Date(Date.now() + 600_000 - 150_000).toISOString()
  render(
    <>
      <ServerClock />
      <RelativeTime at={at} />
    </>,
  )
  await vi.waitFor(() => expect(screen.getByText(/ago/).textContent).toBe('2 min ago'))
})
