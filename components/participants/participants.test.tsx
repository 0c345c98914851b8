import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { BlobReader, type FileEntry, TextWriter, ZipReader } from '@zip.js/zip.js'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Participant } from '@/lib/participants/contract'
import { TokenTable } from '../access/token-table'
import { TokenBatchDialog } from '../people/token-batch-dialog'
import { makeProject, makeToken } from '../testing/fixtures'
import {
  ApiProblem,
  answerWith,
  clickButton,
  openByKeyboard,
  renderUi,
  sentRequests,
  typeInto,
} from '../testing/render'
import { Button } from '../ui/button'
import { saveBlob } from '../ui/save-blob'
import { Participants } from './participants'

vi.mock('next/navigation', () => import('../testing/navigation'))
vi.mock('../ui/save-blob', () => ({ saveBlob: vi.fn() }))
beforeEach(() => void vi.mocked(saveBlob).mockClear())

const at = '2026-11-22T10:00:00.000Z'
const project = makeProject({
  kind: 'class',
  agreed: ['ada', 'bob'],
  project_id: 'class-2026',
  owner: 'grace',
  members: ['ada', 'bob', 'silent'],
})

const participant = (user_id: string, changes: Partial<Participant> = {}): Participant => ({
  user_id,
  name: null,
  manager: false,
  agreed: true,
  jobs: 0,
  gpu_hours: 0,
  last_job: null,
  best: null,
  ...changes,
})
const last = (job_id: string, name: string) => ({
  job_id,
  name,
  status: 'completed' as const,
  created_at: at,
})
const members = [
  participant('ada', { jobs: 3, gpu_hours: 1.5, last_job: last('j1', 'first') }),
  participant('bob', { jobs: 12, gpu_hours: 0.25, last_job: last('j2', 'second') }),
  participant('silent', { agreed: false, jobs: null, gpu_hours: null }),
]

/** The names in the order of the table. */
const names = () =>
  within(screen.getByRole('table', { name: 'Participants' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[0]?.textContent)

it('shows each member with the last job, and members who have not agreed without jobs', async () => {
  answerWith({ 'GET /api/projects/p1/participants': { participants: members, metrics: [] } })
  renderUi(<Participants project={project} />)
  const link = await screen.findByRole('link', { name: 'first' })
  expect(link.getAttribute('href')).toBe('/jobs/j1')
  const silent = screen.getByRole('row', { name: /silent/ })
  expect(silent.textContent).toContain('has not agreed yet')
  expect(within(silent).queryByRole('link')).toBeNull()
  expect(screen.getByText(/1 member has not agreed yet: they agree on the page/)).toBeTruthy()
  expect(screen.getByText(/The jobs printed no metrics/)).toBeTruthy()
})

it('sorts by a heading, and keeps the order in the address', async () => {
  answerWith({ 'GET /api/projects/p1/participants': { participants: members, metrics: [] } })
  const { unmount } = renderUi(<Participants project={project} />)
  await screen.findByRole('link', { name: 'first' })
  clickButton('Jobs')
  expect(names()).toEqual(['bob', 'ada', 'silent'])
  expect(window.location.search).toBe('?sort=-jobs')
  clickButton('Jobs')
  expect(names()).toEqual(['ada', 'bob', 'silent'])
  expect(screen.getByRole('columnheader', { name: 'Jobs' }).ariaSort).toBe('ascending')
  clickButton('GPU hours')
  unmount()
  renderUi(<Participants project={project} />)
  await screen.findByRole('link', { name: 'first' })
  expect(names()).toEqual(['ada', 'bob', 'silent'])
  expect(screen.getByRole('columnheader', { name: 'GPU hours' }).ariaSort).toBe('descending')
})

it('shows the best value of a chosen metric, and keeps the choice in the address', async () => {
  const best = (query: URLSearchParams) => ({
    job_id: 'j7',
    value: query.get('best') === 'highest' ? 0.9 : 0.1,
  })
  answerWith({
    'GET /api/projects/p1/participants': ({ query }: { query: URLSearchParams }) => ({
      participants: [participant('ada', { jobs: 1, ...(query.has('metric') && { best: best(query) }) })],
      metrics: ['accuracy', 'loss'],
    }),
  })
  renderUi(<Participants project={project} />)
  openByKeyboard(await screen.findByRole('combobox', { name: 'Metric' }))
  fireEvent.click(await screen.findByRole('option', { name: 'accuracy' }))
  expect((await screen.findByRole('link', { name: '0.1' })).getAttribute('href')).toBe('/jobs/j7')
  fireEvent.click(screen.getByRole('radio', { name: 'highest is best' }))
  await screen.findByRole('link', { name: '0.9' })
  expect(screen.getByRole('columnheader', { name: 'Highest accuracy' })).toBeTruthy()
  expect(window.location.search).toBe('?metric=accuracy&best=highest')
  expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toBe(
    '/api/projects/p1/participants.csv?metric=accuracy&best=highest',
  )
})

it('says what to do in a class without members, and in one without jobs', async () => {
  answerWith({ 'GET /api/projects/p1/participants': { participants: [], metrics: [] } })
  const { unmount } = renderUi(<Participants project={{ ...project, members: [], agreed: [] }} />)
  await screen.findByText('Nobody has joined yet')
  expect(screen.getByRole('link', { name: 'join link' }).getAttribute('href')).toBe('#join-links')
  unmount()
  answerWith({ 'GET /api/projects/p1/participants': { participants: [participant('ada')], metrics: [] } })
  renderUi(<Participants project={project} />)
  await screen.findByText(/There are no jobs yet: give the participants a config with a token/)
})

const created = (user_id: string) => ({
  ...makeToken({ token_id: `t-${user_id}`, user_id }),
  token: `gpuq_of_${user_id}`,
  config: `user_id: "${user_id}"\ntoken: "gpuq_of_${user_id}"\n`,
})

it('creates tokens for the members who agreed, and saves their configs as a zip file', async () => {
  answerWith({
    'POST /api/token-batches': { project_id: 'class-2026', tokens: [created('ada'), created('bob')] },
  })
  renderUi(<TokenBatchDialog project={project} trigger={<Button>Tokens</Button>} />)
  clickButton('Tokens')
  expect((screen.getByLabelText('Users') as HTMLTextAreaElement).value).toBe('ada\nbob')
  expect(screen.queryByLabelText('Project id')).toBeNull()
  fireEvent.click(screen.getByRole('checkbox', { name: 'Replace earlier tokens' }))
  clickButton('Create tokens')
  await screen.findByRole('dialog', { name: 'Download the configs now' })
  expect(sentRequests.at(-1)?.body).toEqual({
    users: 'ada\nbob',
    class_id: 'p1',
    name: 'for class-2026',
    expires_in_days: 90,
    replace: true,
  })
  clickButton('Download configs')
  await waitFor(() => expect(saveBlob).toHaveBeenCalledOnce())
  const [name, file] = vi.mocked(saveBlob).mock.lastCall ?? []
  expect(name).toBe('class-2026-configs.zip')
  const entries = file ? await new ZipReader(new BlobReader(file), { useWebWorkers: false }).getEntries() : []
  expect(entries.map(({ filename }) => filename)).toEqual([
    'class-2026/ada/config.yaml',
    'class-2026/bob/config.yaml',
  ])
  expect(await (entries[1] as FileEntry).getData(new TextWriter())).toBe(created('bob').config)
  clickButton('Done, I saved the file')
  clickButton('Tokens')
  expect(screen.getByRole('dialog', { name: 'Tokens for participants' })).toBeTruthy()
})

it('names each wrong line, and creates nothing', async () => {
  const errors = [
    { path: 'users', line: 2, message: '“carl” is no member of the class class-2026. Members join first.' },
    { path: 'users', line: 5, message: 'The user ada is in line 1 already.' },
  ]
  answerWith({
    'POST /api/token-batches': new ApiProblem(422, { detail: 'No.', code: 'invalid_fields', errors }),
  })
  renderUi(<TokenBatchDialog project={project} trigger={<Button>Tokens</Button>} />)
  clickButton('Tokens')
  typeInto('Users', 'ada\ncarl')
  clickButton('Create tokens')
  const alert = await screen.findByRole('alert')
  expect(
    within(alert)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual([
    'Line 2: “carl” is no member of the class class-2026. Members join first.',
    'Line 5: The user ada is in line 1 already.',
  ])
  expect(screen.getByRole('dialog', { name: 'Tokens for participants' })).toBeTruthy()
})

it('asks an admin for the project of tokens that are not bound to a class', async () => {
  answerWith({ 'POST /api/token-batches': { project_id: 'vision', tokens: [created('ada')] } })
  renderUi(<TokenBatchDialog trigger={<Button>Tokens</Button>} />)
  clickButton('Tokens')
  clickButton('Create tokens')
  await screen.findByText('Write a user id or an e-mail address in each line.')
  expect(screen.queryByRole('checkbox', { name: 'Replace earlier tokens' })).toBeNull()
  typeInto('Users', 'ada@example.org')
  typeInto('Project id', 'vision')
  clickButton('Create tokens')
  await screen.findByRole('dialog', { name: 'Download the configs now' })
  expect(sentRequests).toHaveLength(1)
  expect(sentRequests[0]?.body).toMatchObject({ users: 'ada@example.org', project_id: 'vision' })
  expect(sentRequests[0]?.body).not.toHaveProperty('class_id')
})

it('shows the student who made a token and for which class', () => {
  const bound_to = { id: 'p1', project_id: 'class-2026', owner: 'grace' }
  renderUi(
    <TokenTable tokens={[makeToken({ bound_to, created_by: 'grace' }), makeToken({ token_id: 't2' })]} />,
  )
  expect(screen.getAllByText('For the class class-2026 only. Created by grace.')).toHaveLength(1)
  expect(screen.getAllByRole('button', { name: 'Revoke laptop' })).toHaveLength(2)
})
