import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { makeUser } from '../testing/fixtures'
import { answerWith, renderUi, typeInto } from '../testing/render'
import { InvitationForm } from './invitation-form'
import { PasswordForm } from './password-form'

it('tells how strong a new password is while it is typed, and what improves it', async () => {
  renderUi(<InvitationForm token="x" handle="ada.lovelace" />)
  expect(screen.getByText(/At least 10 characters/)).toBeTruthy()
  typeInto('Password', '1234567890')
  await screen.findByText(/Strength: very weak\. This is .*common password\. Add more words/)
  typeInto('Password', 'ada.lovelace')
  await screen.findByText(/Strength: very weak\. It contains your name, your user id/)
  typeInto('Password', 'blue lamp runs fast')
  await screen.findByText('Strength: very strong.')
  typeInto('Password', '')
  expect(screen.getByText(/At least 10 characters/)).toBeTruthy()
})

it('knows the name of the signed-in user', async () => {
  answerWith({ 'GET /api/users/me': makeUser({ name: 'Grace Hopper' }) })
  renderUi(<PasswordForm />)
  typeInto('New password', 'gracehopper')
  await screen.findByText(/Strength: very weak\. It contains your name/)
})
