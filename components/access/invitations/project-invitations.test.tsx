import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { makeProject } from '../../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../../testing/render'
import { NameQuestions, OwnQuestions } from '../project/project-questions'
import { ProjectRuns } from '../project/project-runs'
import { ProjectMembers } from '../project-members'
import { ReceivedInvitations } from './received-invitations'

const at = '2026-11-22T10:00:00.000Z'
const invitation = {
  id: 'i1',
  project_id: 'shared',
  name: null,
  kind: 'private',
  owner: 'grace',
  created_at: at,
  expires_at: at,
}

it('shows received invitations until they are answered', async () => {
  answerWith({ 'GET /api/project-invitations': [invitation], 'POST /api/project-invitations/i1': null })
  renderUi(<ReceivedInvitations />)
  await screen.findByText(/from grace/)
  answerWith({ 'GET /api/project-invitations': [] })
  clickButton(/^Accept\s*shared$/)
  await waitFor(() => expect(screen.queryByText(/from grace/)).toBeNull())
  expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({ accept: true })
})

it('says what joining a class shows, and sends the agreement', async () => {
  const course = { ...invitation, kind: 'class' }
  answerWith({ 'GET /api/project-invitations': [course], 'POST /api/project-invitations/i1': null })
  renderUi(<ReceivedInvitations />)
  await screen.findByText(/its owner and its managers see your jobs in it/)
  clickButton(/^Agree and join\s*shared$/)
  await waitFor(() =>
    expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({
      accept: true,
      agree_to: 'class',
    }),
  )
})

const project = makeProject({ members: ['grace'], invited: ['alan'] })

it('lets an admin make a member a manager, and tells the members what managers see', async () => {
  answerWith({ 'PATCH /api/projects/p1': project })
  const { unmount } = renderUi(<ProjectMembers project={project} editable makesManagers />)
  expect(screen.queryByText(/and may cancel them/)).toBeNull()
  clickButton(/^Make manager\s*grace$/)
  await waitFor(() => expect(sentRequests.at(-1)?.body).toEqual({ add_managers: ['grace'] }))
  unmount()
  renderUi(
    <ProjectMembers project={{ ...project, managers: ['grace'] }} editable={false} makesManagers={false} />,
  )
  expect(screen.getByText(/The manager sees all jobs of this project/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Make/ })).toBeNull()
})

it('lets the owner and managers say who may push snapshots', async () => {
  answerWith({ 'PATCH /api/projects/p1': project })
  const { unmount } = renderUi(<ProjectMembers project={project} editable makesManagers={false} />)
  await screen.findByRole('button', { name: /^Allow pushing/ })
  clickButton(/^Allow pushing\s*grace$/)
  await waitFor(() => expect(sentRequests.at(-1)?.body).toEqual({ add_pushers: ['grace'] }))
  unmount()
  const pushing = { ...project, pushers: ['grace'] }
  const second = renderUi(<ProjectMembers project={pushing} editable makesManagers={false} />)
  await screen.findByRole('button', { name: /^Forbid pushing/ })
  clickButton(/^Forbid pushing\s*grace$/)
  await waitFor(() => expect(sentRequests.at(-1)?.body).toEqual({ remove_pushers: ['grace'] }))
  second.unmount()
  renderUi(<ProjectMembers project={pushing} editable={false} makesManagers={false} />)
  expect(await screen.findByText('pushes snapshots')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /pushing/ })).toBeNull()
})

it('lets those who manage a project share new runs, and stop sharing an old one', async () => {
  const shared = [{ id: 'r1', name: 'base', users: ['ada', 'grace', 'alan'] }]
  answerWith({ 'PATCH /api/projects/p1': project })
  renderUi(<ProjectRuns project={{ ...project, old_shared_runs: shared }} />)
  expect(screen.getByText('base, of ada, shared with grace, alan')).toBeTruthy()
  const toggle = screen.getByRole('switch', { name: 'Members share runs' })
  expect(toggle.getAttribute('aria-checked')).toBe('false')
  fireEvent.click(toggle)
  await waitFor(() => expect(sentRequests.at(-1)?.body).toEqual({ share_runs: true }))
  await waitFor(() => expect(toggle).toHaveProperty('disabled', false))
  clickButton(/^Stop sharing\s*base$/)
  await waitFor(() => expect(sentRequests.at(-1)?.body).toEqual({ unshare_old_runs: ['r1'] }))
})

it('names no shared runs where there are none', () => {
  renderUi(<ProjectRuns project={project} />)
  expect(screen.queryByText('Members still share old runs')).toBeNull()
})

it('lets the owner invite, and withdraw an open invitation', async () => {
  answerWith({ 'PATCH /api/projects/p1': project })
  renderUi(<ProjectMembers project={project} editable makesManagers={false} />)
  clickButton('Withdraw the invitation of alan')
  await waitFor(() => expect(sentRequests).toHaveLength(1))
  expect(sentRequests[0]?.body).toEqual({ remove_members: ['alan'] })
  typeInto('Invite a member', 'linus')
  clickButton('Invite')
  await waitFor(() => expect(sentRequests).toHaveLength(2))
  expect(sentRequests[1]?.body).toEqual({ add_members: ['linus'] })
})

it('asks which of several projects a name means, until one of them is chosen', async () => {
  answerWith({ 'PATCH /api/projects/p2/membership': project })
  const own = { ...project, owner: 'grace', asks: true, means: false }
  const course = { ...project, id: 'p2', kind: 'class' as const, asks: true }
  const { rerender } = renderUi(<NameQuestions projects={[own, course]} />)
  screen.getByRole('button', { name: 'The project of grace' })
  clickButton('The class of ada (as now)')
  await waitFor(() => expect(sentRequests.at(-1)?.body).toEqual({ preferred: true }))
  rerender(<NameQuestions projects={[project, { ...course, asks: false }]} />)
  expect(screen.queryByRole('button')).toBeNull()
})

it('asks a member to agree to the kind of a project, and nobody else', async () => {
  answerWith({ 'PATCH /api/projects/p1/membership': project })
  const course = { ...project, kind: 'class' as const }
  const { unmount } = renderUi(<OwnQuestions project={course} handle="grace" />)
  clickButton('Agree')
  await waitFor(() => expect(sentRequests.at(-1)?.body).toEqual({ agree_to: 'class' }))
  unmount()
  for (const handle of ['ada', 'stranger']) {
    renderUi(<OwnQuestions project={course} handle={handle} />)
    expect(screen.queryByRole('button', { name: 'Agree' })).toBeNull()
  }
})
