import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { router } from '../../testing/navigation'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests, typeInto } from '../../testing/render'
import { blankDraft } from './draft'
import { SubmitView } from './submit-view'

vi.mock('next/navigation', () => import('../../testing/navigation'))

const environment = {
  name: 'python',
  image: 'python:3.13',
  description: null,
  network: 'none',
  is_default: true,
  enabled: true,
}

function openPage(draft = { ...blankDraft, code: 'print(1)\n' }): void {
  answerWith({ 'GET /api/environments': [environment] })
  renderUi(<SubmitView handle="ada" start={draft} />)
}

const submits = () => sentRequests.filter(({ path }) => path === '/api/submit')

it('submits a valid draft and opens its job', async () => {
  answerWith({ 'POST /api/submit': { job_id: 'new-job', status: 'pending' } })
  openPage()
  await screen.findByText('Ready to submit')
  clickButton('Submit job')
  await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/new-job'))
})

it('shows a problem at its field, and submits nothing until it is fixed', async () => {
  openPage()
  typeInto('Expected time', '-1')
  await screen.findByText('1 problem to fix')
  expect(screen.getByLabelText('Expected time').getAttribute('aria-invalid')).toBe('true')
  clickButton('Submit job')
  typeInto('Expected time', '60')
  await screen.findByText('Ready to submit')
  expect(submits()).toEqual([])
})

it('asks for a program only after the first attempt to submit', async () => {
  openPage(blankDraft)
  expect(screen.getByText('Add a program to begin')).toBeTruthy()
  clickButton('Submit job')
  await screen.findByText('1 problem to fix')
  expect(screen.getByRole('list', { name: 'Problems in solution.py' }).textContent).toContain(
    'write a program here',
  )
})

it('shows an error of the server until the draft changes', async () => {
  answerWith({
    'POST /api/submit': new ApiProblem(429, { detail: 'You have 5 active jobs.', code: 'limit' }),
  })
  openPage()
  await screen.findByText('Ready to submit')
  clickButton('Submit job')
  await screen.findByText('You have 5 active jobs.')
  typeInto('Expected time', '61')
  await waitFor(() => expect(screen.queryByText('You have 5 active jobs.')).toBeNull())
})

it('reads dropped files, removes the token and reports refused files', async () => {
  openPage()
  const config = `${blankDraft.config}name: dropped\ntoken: gpuq_abcdefgh\n`
  const files = [new File([config], 'config.yaml'), new File(['x'], 'picture.png')]
  fireEvent.change(screen.getByLabelText(/Drop solution.py and config.yaml/), { target: { files } })
  await screen.findByText('Read config.yaml')
  expect(screen.getByText('picture.png is not a .py or .yaml file.')).toBeTruthy()
  expect(screen.getByText(/gpuq removed the token/)).toBeTruthy()
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'dropped')
})
