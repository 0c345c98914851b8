import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { makeLimits, makeUser } from '../testing/fixtures'
import { answerWith, clickButton, openByKeyboard, renderUi, sentRequests, typeInto } from '../testing/render'
import { EditUserDialog } from './edit-user-dialog'
import { InviteDialog } from './invite-dialog'
import { UserActions } from './user-actions'

it('invites a user, and shows the link once', async () => {
  answerWith({ 'POST /api/users': { ...makeUser(), invitation_url: 'http://gpuq.test/invitations/x' } })
  renderUi(<InviteDialog />)
  clickButton('Invite')
  typeInto('User id', 'not an id')
  clickButton('Create invitation')
  await screen.findByText(/letters, digits/)
  typeInto('User id', 'ada')
  clickButton('Create invitation')
  await screen.findByRole('dialog', { name: 'ada invited' })
  expect(screen.getByRole('region', { name: 'invitation link' }).textContent).toContain('/invitations/x')
  clickButton('Done, I copied it')
  clickButton('Invite')
  expect(screen.queryByRole('region', { name: 'invitation link' })).toBeNull()
})

it('changes the limits of a user, where an empty limit is the default', async () => {
  answerWith({ 'PATCH /api/users/ada': { ...makeUser(), invitation_url: null } })
  const onClose = vi.fn()
  const limits = makeLimits({ submissions_per_minute: 30, max_active_jobs: 5, max_priority: 3 })
  renderUi(<EditUserDialog user={makeUser({ limits })} onClose={onClose} />)
  typeInto('Submissions per minute', '')
  typeInto('Active jobs', '7')
  typeInto('Highest priority', '0')
  clickButton('Save')
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sentRequests[0]?.body).toMatchObject({
    limits: { submissions_per_minute: null, max_active_jobs: 7, max_priority: 0, pools: null },
  })
})

it('gives a user the right to host competitions', async () => {
  answerWith({ 'PATCH /api/users/ada': { ...makeUser(), invitation_url: null } })
  const onClose = vi.fn()
  renderUi(<EditUserDialog user={makeUser()} onClose={onClose} />)
  screen.getByRole('checkbox', { name: 'May host competitions' }).click()
  clickButton('Save')
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sentRequests[0]?.body).toMatchObject({ may_host_competitions: true, may_create_classes: false })
})

it('rejects a system account as the Unix user', async () => {
  renderUi(<EditUserDialog user={makeUser()} onClose={() => {}} />)
  typeInto('Unix user id (uid)', '0')
  clickButton('Save')
  await screen.findByText('Use a whole number from 1,000 to 2,147,483,647, or leave it empty.')
  expect(sentRequests).toEqual([])
})

function openActions(own: boolean): void {
  renderUi(<UserActions user={makeUser()} own={own} />)
  openByKeyboard(screen.getByRole('button', { name: 'Actions for ada' }))
}

it('does not let admins disable themselves', () => {
  openActions(true)
  expect(screen.getByRole('menuitem', { name: 'Edit and set limits…' })).toBeTruthy()
  expect(screen.queryByRole('menuitem', { name: 'Disable…' })).toBeNull()
})

it('asks before it disables another user', async () => {
  answerWith({ 'PATCH /api/users/ada': { ...makeUser({ disabled: true }), invitation_url: null } })
  openActions(false)
  screen.getByRole('menuitem', { name: 'Disable…' }).click()
  await screen.findByRole('alertdialog', { name: 'Disable ada?' })
  clickButton('Disable')
  await waitFor(() => expect(sentRequests[0]?.body).toEqual({ disabled: true }))
})
