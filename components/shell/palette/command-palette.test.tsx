import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { makeGroup } from '../../groups/testing/make-group'
import { makeJob, makeJobSummary } from '../../testing/fixtures'
import { router } from '../../testing/navigation'
import { answerWith, renderUi, type SentRequest, sentRequests } from '../../testing/render'
import { AppShell } from '../app-shell'

vi.mock('next/navigation', () => import('../../testing/navigation'))

const jobs = [makeJobSummary(), makeJobSummary({ job_id: 'b', name: 'second run' })]

beforeEach(() => {
  router.push.mockClear()
  answerWith({
    'GET /api/views': [],
    'GET /api/announcement': null,
    'GET /api/groups': [],
    'GET /api/jobs': ({ query }: SentRequest) => {
      const words = query.get('q') ?? ''
      return jobs.filter((job) => `${job.name} ${job.job_id}`.includes(words) || words === 'tag:v2')
    },
  })
})

async function openPalette(path = '/jobs') {
  window.history.replaceState(null, '', path)
  renderUi(
    <AppShell handle="ada" admin={false} engine="builtin">
      <input aria-label="field" />
    </AppShell>,
  )
  screen.getByLabelText('field').focus()
  fireEvent.keyDown(screen.getByLabelText('field'), { key: 'k', ctrlKey: true })
  return screen.findByRole('combobox', { name: 'Search pages, jobs, groups and actions' })
}

const type = (box: HTMLElement, text: string) => fireEvent.change(box, { target: { value: text } })
const selected = () => screen.getByRole('option', { selected: true })

// The first test of the file: the others find the code of the palette loaded.
it('keeps what is typed before it has loaded, so that no shortcut of the page runs', async () => {
  window.history.replaceState(null, '', '/jobs')
  renderUi(
    <AppShell handle="ada" admin={false} engine="builtin">
      <p>page</p>
    </AppShell>,
  )
  fireEvent.keyDown(document.body, { key: 'k', metaKey: true })
  const keys = ['n', 'e', 'x', 'Backspace', 'w']
  for (const key of keys) expect(fireEvent.keyDown(document.body, { key })).toBe(false)
  // The next key arrives as soon as the field has the focus, before React has shown the ones before it.
  const typeNext = ({ target }: FocusEvent) => {
    const field = target as HTMLInputElement
    fireEvent.input(field, { target: { value: `${field.value} j` } })
  }
  document.addEventListener('focusin', typeNext, { once: true })
  const box = await screen.findByRole('combobox')
  await waitFor(() => expect((box as HTMLInputElement).value).toBe('new j'))
  expect(router.push).not.toHaveBeenCalled()
  fireEvent.keyDown(box, { key: 'Enter' })
  expect(router.push).toHaveBeenCalledWith('/submit')
})

it('opens with its shortcut from a text field, and gives the focus back on Escape', async () => {
  const box = await openPalette()
  await waitFor(() => expect(document.activeElement).toBe(box))
  expect(within(screen.getByRole('listbox')).getAllByRole('option').length).toBeGreaterThan(5)
  fireEvent.keyDown(box, { key: 'Escape' })
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('field')))
})

it('opens a page by keyboard, and no page of admins', async () => {
  const box = await openPalette()
  type(box, 'proj')
  expect(selected().textContent).toContain('Projects')
  expect(box.getAttribute('aria-activedescendant')).toBe(selected().id)
  expect(screen.queryByRole('option', { name: /All projects/ })).toBeNull()
  fireEvent.keyDown(box, { key: 'Enter' })
  expect(router.push).toHaveBeenCalledWith('/projects')
})

it('moves the selection with the arrow keys, around the ends', async () => {
  const box = await openPalette()
  type(box, 'theme')
  const themes = screen.getAllByRole('option').map(({ textContent }) => textContent)
  expect(themes).toEqual(['Light theme', 'Dark theme', 'System theme'])
  fireEvent.keyDown(box, { key: 'ArrowUp' })
  expect(selected().textContent).toBe('System theme')
  fireEvent.keyDown(box, { key: 'ArrowDown' })
  fireEvent.keyDown(box, { key: 'ArrowDown' })
  expect(selected().textContent).toBe('Dark theme')
})

it('finds jobs by name and by id', async () => {
  const box = await openPalette()
  type(box, 'second')
  expect((await screen.findByRole('option', { name: /second run/ })).getAttribute('aria-selected')).toBe(
    'true',
  )
  type(box, makeJobSummary().job_id.slice(-8))
  await screen.findByRole('option', { name: /baseline/ })
  const unknown = '01939999-0000-7000-8000-000000000009'
  type(box, ` ${unknown.toUpperCase()} `)
  fireEvent.keyDown(box, { key: 'Enter' })
  expect(router.push).toHaveBeenCalledWith(`/jobs/${unknown}`)
})

it('finds groups by name and by id, also an old one by its whole id', async () => {
  const group = makeGroup()
  const old = makeGroup({ group_id: '01939999-0000-7000-8000-000000000009', name: 'an old one' })
  answerWith({ 'GET /api/groups': [group], [`GET /api/groups/${old.group_id}`]: old })
  const box = await openPalette()
  type(box, 'sweep')
  expect(await screen.findByRole('option', { name: /^baseline sweep/ })).toBe(selected())
  type(box, group.group_id.slice(-8))
  await screen.findByRole('option', { name: /^baseline sweep/ })
  type(box, old.group_id)
  await screen.findByRole('option', { name: /^an old one/ })
  expect(screen.getAllByRole('option')).toHaveLength(1)
  fireEvent.keyDown(box, { key: 'Enter' })
  expect(router.push).toHaveBeenCalledWith(`/groups/${old.group_id}`)
})

it('searches jobs as the list does, and says what is wrong with a search', async () => {
  const box = await openPalette()
  type(box, 'tag:v2')
  expect(await screen.findByRole('option', { name: /second run/ })).toBeTruthy()
  expect(await screen.findByRole('option', { name: /baseline/ })).toBeTruthy()
  type(box, 'status:faild')
  await screen.findByText('Character 8: status cannot be “faild”. Did you mean “failed”?')
  expect(sentRequests.some(({ query }) => query.get('q') === 'status:faild')).toBe(false)
})

it('cancels the job of the open page after a confirmation', async () => {
  const job = makeJob({ status: 'running', completed_at: null })
  answerWith({
    [`GET /api/status/${job.job_id}`]: job,
    [`POST /api/cancel/${job.job_id}`]: { ...job, cancel_requested: true },
  })
  const box = await openPalette(`/jobs/${job.job_id}`)
  type(box, 'cancel')
  await screen.findByRole('option', { name: 'Cancel this job' })
  expect(screen.queryByRole('option', { name: 'Run again' })).toBeNull()
  fireEvent.keyDown(box, { key: 'Enter' })
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel job' }))
  await waitFor(() =>
    expect(sentRequests.map(({ method, path }) => `${method} ${path}`)).toContain(
      `POST /api/cancel/${job.job_id}`,
    ),
  )
})

it('says that nothing matches', async () => {
  const box = await openPalette()
  type(box, 'no such thing')
  expect(await screen.findByText('No page, action, job or group matches.')).toBeTruthy()
  expect(screen.queryByRole('listbox')).toBeNull()
  expect(box.getAttribute('aria-expanded')).toBe('false')
})

it('stays closed while a terminal has the focus', async () => {
  renderUi(
    <AppShell handle="ada" admin={false} engine="builtin">
      <div className="xterm">
        <textarea aria-label="terminal" />
      </div>
    </AppShell>,
  )
  expect(fireEvent.keyDown(screen.getByLabelText('terminal'), { key: 'k', ctrlKey: true })).toBe(true)
})

it('opens no page while gpuq cannot be reached, because the browser would show an error instead', async () => {
  const box = await openPalette()
  type(box, 'projects')
  fireEvent(window, new Event('offline'))
  fireEvent.keyDown(box, { key: 'Enter' })
  expect(router.push).not.toHaveBeenCalled()
  answerWith({ 'HEAD /healthz': {} })
  fireEvent(window, new Event('online'))
  await waitFor(() => expect(screen.queryByText(/gpuq does not answer/)).toBeNull())
})
