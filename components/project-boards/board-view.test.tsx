import { screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { ProjectBoard, ProjectBoardRow } from '@/lib/project-boards/contract'
import { makeProject } from '../testing/fixtures'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { BoardNotice } from './board-notice'
import { BoardView } from './board-view'

vi.mock('next/navigation', () => import('../testing/navigation'))

const path = '/api/projects/p1/leaderboard'

const rowOf = (rank: number, changes: Partial<ProjectBoardRow> = {}): ProjectBoardRow => ({
  rank,
  member: `member-${rank}`,
  value: rank / 8,
  jobs: 2,
  best_at: '2026-11-22T10:00:00.000Z',
  own: false,
  ...changes,
})

const boardOf = (changes: Partial<ProjectBoard> = {}): ProjectBoard => ({
  metric: 'val_loss',
  goal: 'min',
  competition_id: null,
  self_reported: true,
  rows: [rowOf(1), rowOf(1, { member: 'Swift', own: true }), rowOf(3)],
  own: { name: 'Swift', hidden: false },
  ...changes,
})

const noBoard = boardOf({ metric: null, goal: 'max', rows: [], own: { name: null, hidden: false } })
const project = makeProject({ id: 'p1', project_id: 'vision', owner: 'ada', members: ['ben'] })
const results = { rows: [], more: false, metrics: [], metric_names: ['accuracy', 'val_loss'], group_keys: [] }

async function show(board: ProjectBoard, handle = 'ben', changes: Partial<typeof project> = {}) {
  answerWith({ [`GET ${path}`]: board, 'GET /api/projects/p1/results': results })
  renderUi(<BoardView project={{ ...project, ...changes }} handle={handle} admin={false} />)
  return screen.findAllByRole('heading', { level: 2 })
}

const changesSent = () => sentRequests.filter(({ method }) => method === 'PUT').map(({ body }) => body)

it('a member sees ranks, names, values and the own row, that the values are self-reported, and no link to a job', async () => {
  await show(boardOf())
  const table = screen.getByRole('table', { name: 'Leaderboard' })
  const rows = within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent)
  expect(rows).toEqual([
    expect.stringMatching(/1.*member-1.*0\.125.*2/),
    expect.stringMatching(/1.*Swiftyou.*0\.125/),
    expect.stringMatching(/3.*member-3.*0\.375/),
  ])
  expect(within(table).queryByRole('link')).toBeNull()
  expect(screen.getByText('self-reported')).toBeTruthy()
  expect(screen.getByText(/gpuq does not check them/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toBe(`${path}.csv`)
  expect(screen.getByRole('link', { name: 'JSON' }).getAttribute('href')).toBe(path)
  expect(screen.queryByRole('heading', { name: 'Settings' })).toBeNull()
})

it('the owner of a project without a leaderboard chooses a metric, and its name says that the lowest value is the best', async () => {
  await show(noBoard, 'ada')
  expect(screen.getByText('This project has no leaderboard')).toBeTruthy()
  const metric = screen.getByLabelText<HTMLInputElement>('Metric')
  await expect
    .poll(() => [...(metric.list?.options ?? [])].map(({ value }) => value))
    .toEqual(['accuracy', 'val_loss'])
  typeInto('Metric', 'val_loss')
  answerWith({ [`PUT ${path}`]: boardOf(), [`GET ${path}`]: boardOf() })
  clickButton('Show the leaderboard')
  await screen.findByRole('table', { name: 'Leaderboard' })
  expect(changesSent()).toEqual([{ metric: 'val_loss', goal: 'min', competition_id: null }])
})

it('a leaderboard without a metric or with an invalid competition_id is refused beside the field', async () => {
  await show(noBoard, 'ada')
  typeInto(/competition_id/, '-no')
  clickButton('Show the leaderboard')
  await screen.findByText('Enter the name of a metric that the jobs print.')
  expect(screen.getByText(/start with a letter or digit/)).toBeTruthy()
  expect(changesSent()).toEqual([])
})

it('the owner switches a leaderboard off after a confirmation', async () => {
  await show(boardOf(), 'ada')
  clickButton('Switch off…')
  answerWith({ [`PUT ${path}`]: noBoard, [`GET ${path}`]: noBoard })
  const dialog = await screen.findByRole('alertdialog')
  within(dialog).getByRole('button', { name: 'Switch off' }).click()
  await screen.findByText('This project has no leaderboard')
  expect(changesSent()).toEqual([{ metric: null, goal: 'min', competition_id: null }])
})

it('a member chooses a name, learns that it is taken, and stays off the leaderboard', async () => {
  await show(boardOf({ own: { name: null, hidden: false } }))
  const taken = 'Another member of the project has the name "ada", or this user id. Choose another name.'
  answerWith({ [`PUT ${path}/own`]: new ApiProblem(409, { code: 'conflict', detail: taken }) })
  typeInto(/^Name/, 'ada')
  clickButton('Save')
  await screen.findByText(taken)
  answerWith({ [`PUT ${path}/own`]: boardOf({ own: { name: null, hidden: true } }) })
  typeInto(/^Name/, '')
  screen.getByRole('checkbox', { name: 'Stay off the leaderboard' }).click()
  clickButton('Save')
  await screen.findByText('You stay off the leaderboard')
  expect(changesSent()).toEqual([
    { name: 'ada', hidden: false },
    { name: null, hidden: true },
  ])
})

it('a member of a class who has not agreed learns why there is no own row', async () => {
  await show(boardOf({ rows: [] }), 'ben', { kind: 'class', agreed: [] })
  expect(screen.getByText('You are not on the leaderboard')).toBeTruthy()
  expect(screen.getByText('Nobody is on the leaderboard yet')).toBeTruthy()
})

it('the page of a project tells its members of the leaderboard, and their place on it', async () => {
  answerWith({ [`GET ${path}`]: boardOf() })
  renderUi(<BoardNotice projectId="p1" editable={false} />)
  const link = await screen.findByRole('link', { name: 'Open the leaderboard' })
  expect(link.getAttribute('href')).toBe('/projects/p1/leaderboard')
  expect(
    screen.getByText(/best val_loss, self-reported\. You are on it as Swift, with rank 1\./),
  ).toBeTruthy()
})

it('the page of a project without a leaderboard offers one to its owner alone', async () => {
  answerWith({ [`GET ${path}`]: noBoard })
  const { container } = renderUi(<BoardNotice projectId="p1" editable={false} />)
  await expect.poll(() => sentRequests.length).toBe(1)
  expect(container.textContent).toBe('')
  renderUi(<BoardNotice projectId="p1" editable />)
  await screen.findByRole('link', { name: 'Set up a leaderboard' })
})
