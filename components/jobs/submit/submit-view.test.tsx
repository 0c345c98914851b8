import { onlineManager } from '@tanstack/react-query'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { makeJobSummary } from '../../testing/fixtures'
import { router } from '../../testing/navigation'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests, typeInto } from '../../testing/render'
import { readFieldInfos } from '../editor/field-infos'
import { blankDraft } from './draft'
import { SubmitView } from './submit-view'

vi.mock('next/navigation', () => import('../../testing/navigation'))

const environment = {
  name: 'python',
  image: 'python:3.13',
  description: null,
  network: 'none',
  prepare: [],
  prepare_problem: null,
  prepare_problem_at: null,
  is_default: true,
  enabled: true,
}

const config = 'competition_id: c\nproject_id: p\nexpected_time: 300  # seconds\n'

function openPage(draft = { config, code: 'print(1)\n' }): void {
  answerWith({ 'GET /api/jobs': [makeJobSummary()] })
  answerWith({ 'GET /api/environments': [environment] })
  renderUi(<SubmitView handle="ada" infos={readFieldInfos()} start={draft} />)
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
  openPage({ ...blankDraft, config })
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
  const dropped = `${config}name: dropped\ntoken: gpuq_abcdefgh\n`
  const files = [new File([dropped], 'config.yaml'), new File([''], 'empty.py')]
  fireEvent.change(screen.getByLabelText(/^Drop a folder/), { target: { files } })
  await screen.findByText('Read config.yaml')
  expect(screen.getByText('empty.py is empty.')).toBeTruthy()
  expect(screen.getByText(/The token was removed/)).toBeTruthy()
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'dropped')
})

describe('submitting with errors', () => {
  it('focuses the first field with an error, and shows the number of errors', async () => {
    openPage({ ...blankDraft, code: 'print(1)\n' })
    expect(screen.getByText('Fill in the required fields')).toBeTruthy()
    expect(screen.getByLabelText(/Competition/).getAttribute('aria-invalid')).toBeNull()
    clickButton('Submit job')
    await screen.findByText('2 problems to fix')
    expect(document.activeElement).toBe(screen.getByLabelText(/Competition/))
    typeInto(/Competition/, 'cifar10')
    clickButton('Submit job')
    await screen.findByText('1 problem to fix')
    expect(document.activeElement).toBe(screen.getByLabelText(/Project/))
    expect(submits()).toEqual([])
  })

  it('opens the group of the field', async () => {
    openPage({ config: `${config}priority: 1000\n`, code: 'print(1)\n' })
    const field = screen.getByLabelText('Priority')
    const group = field.closest('details')
    if (group) group.open = false
    clickButton('Submit job')
    expect(document.activeElement).toBe(field)
    expect(group?.open).toBe(true)
  })

  it('focuses the editor of the program if it is empty', () => {
    openPage({ ...blankDraft, config })
    clickButton('Submit job')
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'solution.py' }))
  })

  it('focuses the text of the config if the form has no field for the error', () => {
    openPage({ config: `${config}gpu_cuont: 1\n`, code: 'print(1)\n' })
    clickButton('Submit job')
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'config.yaml' }))
  })

  it('focuses the first error of the server', async () => {
    const errors = [{ path: 'project_id', message: 'this project is not yours' }]
    answerWith({
      'POST /api/submit': new ApiProblem(403, { detail: 'Forbidden.', code: 'forbidden', errors }),
    })
    openPage()
    await screen.findByText('Ready to submit')
    clickButton('Submit job')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/Project/)))
  })
})

it.each([
  ['tty: maybe', /^Line 4: tty: must be true or false/],
  ['gpu_cuont: 1', /^Line 4: unknown key gpu_cuont/],
  ['env: {A: [1]}', /^A: must be one text/],
  ['depends_on: [abc]', /^Line 1: must be the id of a job/],
])('the form names the key or the part of a field that has a mistake: %s', async (line, message) => {
  openPage({ config: `${config}${line}\n`, code: 'print(1)\n' })
  const form = (await screen.findByLabelText(/Competition/)).closest('[data-hidden]') as HTMLElement
  expect(await within(form).findByText(textOf(message))).toBeTruthy()
})

/** An element whose text can be of several nodes. */
const textOf = (pattern: RegExp) => (_: string, element: Element | null) =>
  element?.matches('li, span') === true && pattern.test(element.textContent)

it('fills in the competition and the project of the last job', async () => {
  openPage({ ...blankDraft, code: 'print(1)\n' })
  expect(screen.getByLabelText(/Competition/)).toMatchObject({ value: '', placeholder: 'my-competition' })
  expect(screen.getByLabelText(/Project/)).toMatchObject({ value: '', placeholder: 'my-project' })
  fireEvent.click(await screen.findByRole('button', { name: 'Use cifar10 · resnet' }))
  expect(screen.getByLabelText(/Competition/)).toHaveProperty('value', 'cifar10')
  expect(screen.getByLabelText(/Project/)).toHaveProperty('value', 'resnet')
  expect(screen.queryByText('Your last job:')).toBeNull()
})

it('warns about a syntax error in the program, and submits it', async () => {
  answerWith({ 'POST /api/submit': { job_id: 'new-job', status: 'pending' } })
  openPage({ config, code: 'import os\nprint("a"\n' })
  await screen.findByText('Ready to submit, with 1 warning')
  expect(screen.getByRole('list', { name: 'Problems in solution.py' }).textContent).toBe(
    'Line 2: warning: this bracket is never closed',
  )
  clickButton('Submit job')
  await waitFor(() => expect(submits()).toHaveLength(1))
})

describe('a submission without an answer', () => {
  const unreachable = () => {
    throw new TypeError('fetch failed')
  }
  const keyOf = (request: { key: string | null } | undefined) => request?.key
  const sent: { key: string | null }[] = []
  const recordKeys = () => {
    sent.length = 0
    const answer = window.fetch
    vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
      const isSubmission = init?.method === 'POST' && !String(input).includes('dry_run')
      if (isSubmission) sent.push({ key: new Headers(init.headers).get('idempotency-key') })
      return answer(input, init)
    })
  }

  it('is sent again only by the user, with the same key, also after a reload', async () => {
    answerWith({ 'POST /api/submit': unreachable })
    openPage()
    recordKeys()
    await screen.findByText('Ready to submit')
    clickButton('Submit job')
    await screen.findByText(/^The last try got no answer/)
    expect(sent).toHaveLength(1)
    // A reload runs no cleanup.
    const kept = [...Object.entries(sessionStorage)]
    cleanup()
    for (const [name, value] of kept) sessionStorage.setItem(name, value)
    openPage()
    await screen.findByText(/^The last try got no answer/)
    expect(sent).toHaveLength(1)
    answerWith({ 'POST /api/submit': { job_id: 'new-job', status: 'pending' } })
    clickButton('Submit job')
    await waitFor(() => expect(sent).toHaveLength(2))
    expect(keyOf(sent[1])).toBe(keyOf(sent[0]))
    expect(keyOf(sent[0])).toBeTruthy()
  })

  it('fails at once without a network, and is not sent when it is back', async () => {
    answerWith({ 'POST /api/submit': unreachable })
    openPage()
    recordKeys()
    await screen.findByText('Ready to submit')
    act(() => onlineManager.setOnline(false))
    try {
      clickButton('Submit job')
      await screen.findByText(/^The last try got no answer/)
    } finally {
      act(() => onlineManager.setOnline(true))
    }
    // A paused submission would be sent before this one.
    clickButton('Submit job')
    await waitFor(() => expect(sent).toHaveLength(2))
  })
})

it('has what was written in it after a reload, also if it was opened with the files of a job', async () => {
  openPage()
  typeInto('Name', 'mine')
  await waitFor(() => expect(localStorage.getItem('gpuq.draft')).toContain('mine'))
  const kept = [...Object.entries(sessionStorage)]
  cleanup()
  openPage()
  expect(screen.getByLabelText('Name')).toHaveProperty('value', '')
  cleanup()
  for (const [name, value] of kept) sessionStorage.setItem(name, value)
  openPage()
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'mine')
})

it('shows errors in the words of the form', async () => {
  const errors = [{ path: 'max_time', message: 'must be at least expected_time' }]
  answerWith({ 'POST /api/submit': new ApiProblem(422, { detail: 'x', code: 'invalid_fields', errors }) })
  openPage()
  await screen.findByText('Ready to submit')
  clickButton('Submit job')
  expect(await screen.findByText('Must be at least Expected time')).toBeTruthy()
})
