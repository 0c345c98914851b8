import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { currentConnection, watchedFetch } from './connection'
import { ConnectionNotice } from './connection-notice'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const failing = () => Promise.reject(new TypeError('fetch failed'))
const answering = async () => new Response()

it('says at once that the browser is offline, and opens no link until it is back', async () => {
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
  vi.stubGlobal('fetch', failing)
  const opened = vi.fn((event: { preventDefault: () => void }) => event.preventDefault())
  render(
    <>
      <ConnectionNotice />
      <a href="/jobs" onClick={opened}>
        Jobs
      </a>
    </>,
  )
  expect(screen.getByRole('status').textContent).toBe('')
  online.mockReturnValue(false)
  fireEvent(window, new Event('offline'))
  expect(screen.getByRole('status').textContent).toMatch(/^You are offline\./)
  fireEvent.click(screen.getByRole('link'))
  expect(opened).not.toHaveBeenCalled()
  expect(screen.getByRole('status').textContent).toMatch(/Links open when the connection is back\.$/)
  online.mockReturnValue(true)
  vi.stubGlobal('fetch', answering)
  fireEvent(window, new Event('online'))
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe(''))
  fireEvent.click(screen.getByRole('link'))
  expect(opened).toHaveBeenCalledOnce()
  online.mockRestore()
})

it('says after a failed request that gpuq does not answer, until it answers', async () => {
  render(<ConnectionNotice />)
  expect(screen.getByRole('status').textContent).toBe('')
  vi.stubGlobal('fetch', failing)
  await act(() => watchedFetch('/api/jobs').catch(() => null))
  expect(screen.getByRole('status').textContent).toMatch(/^gpuq does not answer\./)
  vi.stubGlobal('fetch', answering)
  await act(() => watchedFetch('/api/jobs'))
  expect(screen.getByRole('status').textContent).toBe('')
})

it('opens links without a network if gpuq answers, because it is on the same machine', async () => {
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  vi.stubGlobal('fetch', answering)
  render(<ConnectionNotice />)
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe(''))
  expect(currentConnection()).toBe('ok')
  fireEvent(window, new Event('offline'))
  expect(currentConnection()).toBe('offline')
  await waitFor(() => expect(currentConnection()).toBe('ok'))
  online.mockRestore()
})
