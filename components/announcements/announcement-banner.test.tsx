import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { AnnouncementBanner } from './announcement-banner'

vi.mock('next/navigation', () => import('../testing/navigation'))

const announcement = {
  id: '01920000-0000-7000-8000-000000000000',
  text: 'Maintenance <b>today</b>',
  ends_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
}

it('shows the text as it was written, and hides it when the user dismisses it', async () => {
  let dismissed = false
  answerWith({
    'GET /api/announcement': () => ({ announcement, dismissed }),
    'POST /api/announcement/dismissal': () => {
      dismissed = true
      return null
    },
  })
  renderUi(<AnnouncementBanner />)
  expect(await screen.findByText('Maintenance <b>today</b>')).toBeTruthy()
  clickButton('Dismiss the announcement')
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Announcement' })).toBeNull())
  await waitFor(() => expect(sentRequests.map(({ body }) => body)).toContainEqual({ id: announcement.id }))
})

it('comes back if the server did not store the dismissal', async () => {
  answerWith({
    'GET /api/announcement': () => ({ announcement, dismissed: false }),
    'POST /api/announcement/dismissal': new ApiProblem(429, {
      code: 'rate_limited',
      detail: 'Try again later.',
    }),
  })
  renderUi(<AnnouncementBanner />)
  await screen.findByText(announcement.text)
  clickButton('Dismiss the announcement')
  await waitFor(() => expect(sentRequests.some(({ method }) => method === 'POST')).toBe(true))
  expect(await screen.findByText(announcement.text)).toBeTruthy()
})
