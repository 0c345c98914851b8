import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { makeSession } from '../../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests } from '../../testing/render'
import { SessionsPanel } from './sessions-panel'

const current = makeSession({ current: true, user_agent: 'Firefox/130.0 Linux' })
const other = makeSession({ session_id: 'session-2', user_agent: 'Chrome/128.0 Android' })

it('marks the own session and ends another one', async () => {
  answerWith({ 'GET /api/sessions': [current, other], 'DELETE /api/sessions/session-2': null })
  renderUi(<SessionsPanel />)
  const [mine, theirs] = await screen.findAllByRole('listitem')
  expect(mine?.textContent).toContain('Firefox on Linuxthis browser')
  expect(theirs?.textContent).toContain('Chrome on Android')
  answerWith({ 'GET /api/sessions': [current] })
  clickButton(/^End\s*session of Chrome on Android$/)
  await waitFor(() => expect(screen.queryByText('Chrome on Android')).toBeNull())
  expect(screen.queryByRole('button', { name: /^End\s*session/ })).toBeNull()
  expect(screen.getByRole('button', { name: 'Sign out other sessions…' }).hasAttribute('disabled')).toBe(true)
})

it('ends all other sessions after a confirmation', async () => {
  answerWith({ 'GET /api/sessions': [current, other], 'DELETE /api/sessions': null })
  renderUi(<SessionsPanel />)
  await screen.findByText('Chrome on Android')
  clickButton('Sign out other sessions…')
  expect(sentRequests.map(({ method }) => method)).toEqual(['GET'])
  clickButton('Sign out others')
  await screen.findByText('Other sessions ended')
  expect(sentRequests.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})
