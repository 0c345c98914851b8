import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { makeJobSummary } from '../testing/fixtures'
import { router } from '../testing/navigation'
import { answerWith, renderUi } from '../testing/render'
import { BrowserSwitch } from './browser-switch'
import { EndedJobsNotifier } from './ended-jobs-notifier'

vi.mock('next/navigation', () => import('../testing/navigation'))

/** The browser's notifications. */
class FakeNotification {
  static permission: NotificationPermission = 'default'
  /** The answer of the user. */
  static answer: NotificationPermission = 'granted'
  static asked = 0
  static shown: FakeNotification[] = []
  onclick: (() => void) | null = null

  constructor(
    readonly title: string,
    readonly options: NotificationOptions,
  ) {
    FakeNotification.shown.push(this)
  }

  static async requestPermission(): Promise<NotificationPermission> {
    FakeNotification.asked++
    FakeNotification.permission = FakeNotification.answer
    return FakeNotification.permission
  }

  close(): void {}
}

beforeEach(() => {
  localStorage.clear()
  Object.assign(FakeNotification, { permission: 'default', answer: 'granted', asked: 0, shown: [] })
  vi.stubGlobal('Notification', FakeNotification)
  vi.stubGlobal('focus', vi.fn())
})

it('asks for permission only on a click', async () => {
  renderUi(<BrowserSwitch />)
  const control = screen.getByRole('switch', { name: 'Notify me when my jobs end' })
  expect([control.getAttribute('aria-checked'), FakeNotification.asked]).toEqual(['false', 0])
  fireEvent.click(control)
  await waitFor(() => expect(control.getAttribute('aria-checked')).toBe('true'))
  fireEvent.click(control)
  await waitFor(() => expect(control.getAttribute('aria-checked')).toBe('false'))
  expect(FakeNotification.asked).toBe(1)
})

it('says what to do when the browser blocks notifications', async () => {
  FakeNotification.answer = 'denied'
  renderUi(<BrowserSwitch />)
  fireEvent.click(screen.getByRole('switch'))
  await screen.findByText(/Allow them in its site settings/)
  expect(screen.getByRole('switch')).toHaveProperty('disabled', true)
})

it('shows a notification for each job that ends from now on, once', async () => {
  const before = makeJobSummary({ job_id: '1', status: 'completed' })
  const running = makeJobSummary({ job_id: '2', name: 'training', status: 'running' })
  const failed = { ...running, status: 'failed' as const }
  // Submitted and ended between two answers.
  const short = makeJobSummary({ job_id: '3', name: 'short', status: 'completed' })
  const answers = [
    [running, before],
    [short, failed, before],
    [short, failed, before],
  ]
  vi.useFakeTimers({
    shouldAdvanceTime: true,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
  try {
    let read = 0
    answerWith({ 'GET /api/jobs': () => answers[Math.min(read++, answers.length - 1)] })
    renderUi(<EndedJobsNotifier />)
    await vi.waitUntil(() => read > 0)
    await vi.advanceTimersByTimeAsync(10_000)
    await vi.waitUntil(() => FakeNotification.shown.length > 0)
    await vi.advanceTimersByTimeAsync(10_000)
    await vi.waitUntil(() => read >= 3)
    expect(FakeNotification.shown.map(({ title, options }) => [title, options.tag])).toEqual([
      ['short completed', '3'],
      ['training failed', '2'],
    ])
    FakeNotification.shown[1]?.onclick?.()
    expect(router.push).toHaveBeenCalledWith('/jobs/2')
  } finally {
    vi.useRealTimers()
  }
})
