import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { UserImport } from '@/lib/people/contract'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { ImportUsers } from './import-users'

vi.mock('next/navigation', () => import('../testing/navigation'))

const user = { line: 2, user_id: 'grace', email: 'grace@example.org', name: null, changes: [] }
const preview: UserImport = {
  dry_run: true,
  plan: 'the-plan',
  users: [{ ...user, action: 'create' }],
  problems: [],
  invitations: [],
  mailed: 0,
}
const failed = {
  user_id: 'grace',
  email: 'grace@example.org',
  state: 'failed',
  problem: 'The SMTP server responded with status 550.',
  created_at: '2026-11-22T10:00:00.000Z',
}

it('invites by e-mail where gpuq can, and sends a failed invitation again', async () => {
  answerWith({
    'GET /api/invitation-mails': { available: true, mails: [] },
    'POST /api/user-imports': preview,
    'POST /api/invitation-mails': null,
  })
  renderUi(<ImportUsers />)
  await screen.findByRole('radio', { name: 'Invite by e-mail' })
  typeInto('Or paste the text', 'email\ngrace@example.org')
  clickButton('Preview')
  await screen.findByText('will be created')
  answerWith({
    'GET /api/invitation-mails': { available: true, mails: [failed] },
    'POST /api/user-imports': { ...preview, dry_run: false, mailed: 1 },
    'POST /api/invitation-mails': null,
  })
  clickButton('Import')
  await screen.findByText(/gpuq sends 1 invitation by e-mail/)
  expect(sentRequests.filter(({ path }) => path === '/api/user-imports').map(({ body }) => body)).toEqual([
    { csv: 'email\ngrace@example.org', dry_run: true, invite_by: 'email' },
    { csv: 'email\ngrace@example.org', dry_run: false, invite_by: 'email', plan: 'the-plan' },
  ])
  expect(screen.queryByRole('button', { name: 'Download invitations' })).toBeNull()
})

it('names failed addresses, and offers only links where gpuq sends no e-mail', async () => {
  answerWith({
    'GET /api/invitation-mails': { available: false, mails: [failed] },
    'POST /api/invitation-mails': null,
  })
  renderUi(<ImportUsers />)
  expect(await screen.findByText('The SMTP server responded with status 550.')).toBeTruthy()
  expect(screen.queryByRole('radio', { name: 'Invite by e-mail' })).toBeNull()
  clickButton(/^Send again/)
  await waitFor(() => expect(sentRequests.some(({ method }) => method === 'POST')).toBe(true))
  expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({ user_id: 'grace' })
})
