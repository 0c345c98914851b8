import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { makeProject, makeToken } from '../testing/fixtures'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { Button } from '../ui/button'
import { NewProjectDialog } from './new-project-dialog'
import { NewTokenDialog } from './new-token-dialog'
import { TokenTable } from './token-table'

function openTokenDialog(props: Partial<Parameters<typeof NewTokenDialog>[0]> = {}): void {
  renderUi(<NewTokenDialog admin={false} owner="ada" trigger={<Button>New token</Button>} {...props} />)
  clickButton('New token')
}

it('creates a token, and shows it once with the commands that use it', async () => {
  const projects = [
    makeProject({ project_id: 'of-bob', owner: 'bob' }),
    makeProject({ project_id: 'vision' }),
  ]
  answerWith({ 'POST /api/tokens': { ...makeToken(), token: 'gpuq_secret' }, 'GET /api/projects': projects })
  openTokenDialog()
  typeInto('Name', 'laptop')
  fireEvent.click(screen.getByRole('checkbox', { name: 'submit' }))
  fireEvent.click(screen.getByRole('checkbox', { name: 'submit' }))
  clickButton('Create token')
  await screen.findByRole('dialog', { name: 'Token for ada' })
  expect(screen.getByRole('region', { name: 'token' }).textContent).toBe('gpuq_secret')
  expect(screen.getByRole('region', { name: 'curl command' }).textContent).toContain('Bearer gpuq_secret')
  expect(screen.getByText(/whoever has it acts as ada\./)).toBeTruthy()
  await waitFor(() =>
    expect(screen.getByRole('region', { name: 'config' }).textContent).toContain('project_id: "vision"'),
  )
  expect(sentRequests[0]?.body).toEqual({
    name: 'laptop',
    scopes: ['submit', 'read'],
    expires_in_days: 90,
    user_id: 'ada',
  })
})

it('marks the invalid fields of a token after the first submit, until each is fixed', async () => {
  openTokenDialog()
  expect(screen.queryByText('Fill in this field.')).toBeNull()
  for (const scope of ['submit', 'read']) fireEvent.click(screen.getByRole('checkbox', { name: scope }))
  clickButton('Create token')
  await screen.findByText('Fill in this field.')
  expect(screen.getByText('Select at least one.')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByLabelText('Name'))
  typeInto('Name', 'laptop')
  expect(screen.queryByText('Fill in this field.')).toBeNull()
  expect(sentRequests).toEqual([])
})

it('offers the admin scope and other users only to admins', () => {
  openTokenDialog()
  expect(screen.queryByRole('checkbox', { name: 'admin' })).toBeNull()
  expect(screen.queryByLabelText('User id')).toBeNull()
})

it('asks an admin for the user of a token', () => {
  renderUi(<NewTokenDialog admin trigger={<Button>New token</Button>} />)
  clickButton('New token')
  expect(screen.getByRole('checkbox', { name: 'admin' })).toBeTruthy()
  expect(screen.getByLabelText('User id')).toBeTruthy()
})

it('creates a project and closes', async () => {
  answerWith({
    'POST /api/projects': makeProject(),
  })
  renderUi(<NewProjectDialog />)
  clickButton('New project')
  typeInto('Project id', 'shared')
  clickButton('Create project')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await screen.findByText('Project shared created')
})

it('shows an error of the server at its field', async () => {
  const errors = [{ path: 'project_id', message: 'you already have this project' }]
  answerWith({ 'POST /api/projects': new ApiProblem(409, { detail: 'Conflict.', code: 'conflict', errors }) })
  renderUi(<NewProjectDialog />)
  clickButton('New project')
  typeInto('Project id', 'shared')
  clickButton('Create project')
  const field = screen.getByLabelText('Project id')
  await screen.findByText('You already have this project')
  expect(field.getAttribute('aria-invalid')).toBe('true')
})

it('asks before it revokes a token, and shows why revoking failed', async () => {
  answerWith({
    'DELETE /api/tokens/token-1': new ApiProblem(503, {
      detail: 'The database is down.',
      code: 'unavailable',
    }),
  })
  renderUi(<TokenTable tokens={[makeToken()]} />)
  clickButton('Revoke laptop')
  const question = screen.getByRole('alertdialog', { name: 'Revoke “laptop”?' })
  fireEvent.click(within(question).getByRole('button', { name: 'Keep it' }))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(sentRequests).toEqual([])
  clickButton('Revoke laptop')
  clickButton('Revoke')
  await screen.findByText('The database is down.')
  expect(screen.getByRole('alertdialog')).toBeTruthy()
})

it('shows the name beside the user id of a token', () => {
  const named = makeToken({ user_name: 'Ada Lovelace' })
  renderUi(<TokenTable tokens={[named, makeToken({ token_id: 'token-2', user_id: 'bob' })]} showOwner />)
  expect(screen.getByRole('cell', { name: 'Ada Lovelace (ada)' })).toBeTruthy()
  expect(screen.getByRole('cell', { name: 'bob' })).toBeTruthy()
})
