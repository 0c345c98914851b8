import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Team } from '@/lib/competitions/contract'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { TeamTab } from './team-tab'
import { makeCompetition, makeTeam } from './testing/make-competition'

const path = '/api/competitions/cifar-sprint'

async function show(team: Team, competition = makeCompetition()) {
  answerWith({ [`GET ${path}/team`]: team, [`GET ${path}/invitations`]: [] })
  renderUi(<TeamTab competition={competition} handle="ada" />)
  await screen.findByRole('heading', { name: team.name })
}

const sentBody = (method: string) => sentRequests.findLast((request) => request.method === method)?.body

it('a member of a team renames it, and invites people', async () => {
  await show(makeTeam())
  answerWith({ [`PATCH ${path}/team`]: makeTeam({ name: 'Tensors' }) })
  clickButton('Rename')
  typeInto('Name', 'Tensors')
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Rename' }))
  await expect.poll(() => sentBody('PATCH')).toEqual({ name: 'Tensors' })
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  clickButton('Invite')
  typeInto('User id', 'ben')
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Invite' }))
  await screen.findByText('ben is invited')
  expect(sentBody('PATCH')).toEqual({ invite: ['ben'] })
})

it('an invitation that has no answer can be taken back', async () => {
  await show(makeTeam({ invited: ['ben'] }))
  answerWith({ [`PATCH ${path}/team`]: makeTeam(), [`GET ${path}/team`]: makeTeam() })
  clickButton('Take back the invitation of ben')
  await expect.poll(() => screen.queryByText('ben')).toBeNull()
  expect(sentBody('PATCH')).toEqual({ withdraw: ['ben'] })
})

it('whoever is alone in a team cannot leave it, and a full team invites nobody', async () => {
  await show(makeTeam(), makeCompetition({ team_max: 1 }))
  expect(screen.queryByRole('button', { name: 'Leave the team' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Invite' })).toBeNull()
})

it('a member leaves a team after a confirmation', async () => {
  await show(makeTeam({ name: 'Tensors', members: ['ada', 'ben'] }))
  answerWith({ [`POST ${path}/team/leave`]: makeTeam(), [`GET ${path}/team`]: makeTeam() })
  clickButton('Leave the team')
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Leave' }))
  await screen.findByText('You have left Tensors')
})

it('an invitation is accepted or declined', async () => {
  await show(makeTeam())
  const invitation = {
    id: '01931111-0000-7000-8000-0000000000bb',
    team: 'Tensors',
    competition_id: 'cifar-sprint',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  }
  answerWith({ [`GET ${path}/invitations`]: [invitation] })
  renderUi(<TeamTab competition={makeCompetition()} handle="ada" />)
  const accept = await screen.findByRole('button', { name: /^Accept ?Tensors$/ })
  answerWith({
    [`POST ${path}/invitations/${invitation.id}/accept`]: makeTeam({ name: 'Tensors' }),
    [`GET ${path}/invitations`]: [],
  })
  fireEvent.click(accept)
  await screen.findAllByText('You are in the team Tensors')
})
