import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import { JobView } from '../jobs/detail/job-view'
import { makeJob } from '../testing/fixtures'
import {
  ApiProblem,
  answerWith,
  clickButton,
  FakeEventSource,
  renderUi,
  sentRequests,
} from '../testing/render'

vi.mock('next/navigation', () => import('../testing/navigation'))

const running = { status: 'running', completed_at: null, exit_code: null, terminal: true } as const
const t = '2026-11-22T10:00:00.000Z'

async function openJob(changes: Partial<JobDetail> = {}, ownHandle = 'ada'): Promise<JobDetail> {
  const job = makeJob({ ...running, ...changes })
  answerWith({
    [`GET /api/status/${job.job_id}`]: job,
    [`POST /api/jobs/${job.job_id}/terminal/input`]: null,
    [`POST /api/jobs/${job.job_id}/terminal/size`]: null,
  })
  renderUi(<JobView id={job.job_id} ownHandle={ownHandle} admin={ownHandle === 'root'} />)
  await screen.findByRole('heading', { level: 1 })
  return job
}

/** The stream of the job connects and sends the earlier output. */
function connect(job: JobDetail, text = 'ready> '): void {
  act(() => {
    FakeEventSource.latest?.dispatchEvent(new Event('open'))
    FakeEventSource.latest?.emit('output', JSON.stringify({ type: 'stdout', t, text, eol: false }))
    FakeEventSource.latest?.emit('job', JSON.stringify(job))
  })
}

/** A row of the terminal, as screen readers get it. */
const row = (text: string) => screen.findByText(text, { selector: '[role=listitem]' })
const input = () => screen.findByRole('textbox', { name: 'Terminal of the job' })
const status = () =>
  screen.getByRole('region', { name: 'Terminal' }).querySelector('[role=status]')?.textContent
const typed = () =>
  sentRequests.filter(({ path }) => path.endsWith('/terminal/input')).map(({ body }) => body)

async function pressEnter(): Promise<void> {
  fireEvent.keyDown(await input(), { key: 'Enter', keyCode: 13 })
}

describe('the terminal of a job', () => {
  it('opens with the page of a job that has one, prints its output and sends keys', async () => {
    const job = await openJob()
    expect(screen.getByRole('tab', { name: 'Terminal' }).getAttribute('aria-selected')).toBe('true')
    await screen.findByRole('region', { name: 'Terminal' })
    expect(status()).toBe('Connecting…')
    connect(job)
    await row('ready>')
    expect(status()).toBe('Connected')
    await waitFor(async () => {
      await pressEnter()
      expect(typed()).toContain('\r')
    })
    fireEvent.keyDown(await input(), { key: 'c', keyCode: 67, ctrlKey: true })
    fireEvent.keyDown(await input(), { key: 'ArrowUp', keyCode: 38 })
    await waitFor(() => expect(typed().join('').replace(/^\r+/, '')).toBe('\u0003\u001b[A'))
    const sizes = sentRequests.filter(({ path }) => path.endsWith('/terminal/size'))
    expect(sizes.map(({ body }) => body)).toContainEqual({ columns: 80, rows: 24 })
  })

  it('does not answer questions of earlier output', async () => {
    const job = await openJob()
    connect(job, 'where? \u001b[6n')
    await row('where?')
    act(() => {
      FakeEventSource.latest?.emit(
        'output',
        JSON.stringify({ type: 'stdout', t, text: '\u001b[5n', eol: false }),
      )
    })
    await waitFor(() => expect(typed()).toEqual(['\u001b[0n']))
  })

  it('shows the text of a link without its address', async () => {
    const job = await openJob()
    connect(job, '\u001b]8;;https://evil.example\u0007the text\u001b]8;;\u0007\u001b]52;c;ZXZpbA==\u0007')
    await row('the text')
    expect(screen.getByRole('region', { name: 'Terminal' }).innerHTML).not.toContain('evil.example')
  })

  it('reports keys that did not reach the program', async () => {
    const job = await openJob()
    const problem = { code: 'conflict', detail: 'The job is not running.', title: 'Conflict' }
    answerWith({ [`POST /api/jobs/${job.job_id}/terminal/input`]: new ApiProblem(409, problem) })
    connect(job)
    await row('ready>')
    await waitFor(async () => {
      await pressEnter()
      expect(typed()).not.toEqual([])
    })
    await screen.findByText('The last keys did not reach the program')
    expect(screen.getByText('The job is not running.')).toBeTruthy()
  })

  it('is read-only for an admin until the admin asks for it', async () => {
    const job = await openJob({ user_name: 'Ada Lovelace' }, 'root')
    connect(job)
    await row('ready>')
    expect(status()).toBe('Connected, read-only')
    expect(screen.getByText(/belongs to Ada Lovelace \(ada\)/)).toBeTruthy()
    await pressEnter()
    expect(sentRequests.filter(({ method }) => method === 'POST')).toEqual([])
    clickButton('Type in this terminal')
    expect(status()).toBe('Connected')
    await waitFor(async () => {
      await pressEnter()
      expect(typed()).toContain('\r')
    })
  })

  it('is read-only for a manager of the project, whose page changes nothing of the job', async () => {
    const job = await openJob({ tags: ['v1'] }, 'teacher')
    connect(job)
    await row('ready>')
    expect(status()).toBe('Connected, read-only')
    expect(screen.queryByRole('button', { name: 'Type in this terminal' })).toBeNull()
    await pressEnter()
    expect(sentRequests.filter(({ method }) => method === 'POST')).toEqual([])
    expect(screen.getByText('v1')).toBeTruthy()
    for (const name of ['Star', 'Add a note']) expect(screen.queryByRole('button', { name })).toBeNull()
    expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy()
  })

  it('has the states of the job and of the connection', async () => {
    const job = await openJob({ status: 'pending', placed: false })
    expect(status()).toBe('Waits for the start of the job')
    expect(screen.queryByRole('textbox', { name: 'Terminal of the job' })).toBeNull()
    connect({ ...job, placed: true }, '')
    await waitFor(() => expect(status()).toBe('The job is starting'))
    connect({ ...job, status: 'running' }, '')
    await waitFor(() => expect(status()).toBe('Connected'))
    act(() => void FakeEventSource.latest?.dispatchEvent(new Event('error')))
    expect(status()).toBe('Connection lost. Reconnecting…')
    connect({ ...job, status: 'failed', exit_code: 3, completed_at: t }, '')
    await waitFor(() => expect(status()).toBe('Ended with exit code 3'))
    connect({ ...job, status: 'cancelled', completed_at: t }, '')
    await waitFor(() => expect(status()).toBe('Ended: the job was cancelled'))
  })

  it('is offered for each instance, and only for jobs with a terminal', async () => {
    const { resources } = makeJob()
    await openJob({ resources: { ...resources, asked: { ...resources.asked, instance_count: 2 } } })
    expect(screen.getByRole('combobox', { name: 'Rank' }).textContent).toBe('Rank 0')
  })
})

it('a job without a terminal has no such tab', async () => {
  await openJob({ terminal: false })
  expect(screen.queryByRole('tab', { name: 'Terminal' })).toBeNull()
  expect(screen.getByRole('tab', { name: 'Output' }).getAttribute('aria-selected')).toBe('true')
})
