import { fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { CompetitionDetail } from '@/lib/competitions/contract'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests, typeInto } from '../testing/render'
import { CompetitionList } from './competition-list'
import { CompetitionView } from './competition-view'
import {
  makeBoard,
  makeCompetition,
  makeEntry,
  makeHosted,
  makePhase,
  makeQuota,
  makeTeam,
} from './testing/make-competition'

vi.mock('next/navigation', () => import('../testing/navigation'))

const path = '/api/competitions/cifar-sprint'

beforeEach(() => {
  // Rows in view need a height.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800)
})

/** Shows the page at a query. */
async function show(competition: CompetitionDetail, search = '', handle: string | null = 'ada') {
  window.history.replaceState(null, '', `/competitions/cifar-sprint${search}`)
  answerWith({
    [`GET ${path}`]: competition,
    [`GET ${path}/invitations`]: [],
    [`GET ${path}/team`]: makeTeam(),
    [`GET ${path}/phases/main/leaderboard`]: makeBoard(2),
    [`GET ${path}/phases/main/quota`]: { quota: makeQuota(), waiting: [] },
    [`GET ${path}/phases/main/entries`]: [makeEntry()],
  })
  renderUi(<CompetitionView competition="cifar-sprint" handle={handle} />)
  await screen.findByRole('heading', { level: 1, name: 'CIFAR sprint' })
}

const tabNames = () => screen.getAllByRole('tab').map(({ textContent }) => textContent)

it.each([
  ['a visitor without an account', { role: null, state: null }, null, ['Overview', 'Leaderboard']],
  ['a user who has not joined', { role: null, state: null }, 'ada', ['Overview', 'Leaderboard']],
  ['a user who has asked to join', { role: null, state: 'requested' }, 'ada', ['Overview', 'Leaderboard']],
  ['an observer', { role: 'observer' }, 'ada', ['Overview', 'Leaderboard']],
  ['a participant', {}, 'ada', ['Overview', 'Leaderboard', 'My entries', 'Submit', 'Team']],
  ['a TA', { role: 'ta' }, 'ada', ['Overview', 'Leaderboard', 'My entries', 'Submit', 'Manage']],
] as const)('%s sees the tabs of that role', async (_, changes, handle, expected) => {
  await show(makeCompetition(changes), '', handle)
  expect(tabNames()).toEqual(expected)
})

it('an admin without a role manages a competition, and sends no entries', async () => {
  await show(makeHosted({ role: null, state: null }))
  expect(tabNames()).toEqual(['Overview', 'Leaderboard', 'Manage'])
})

it('a tab that the viewer may not see is not opened by its address', async () => {
  await show(makeCompetition({ role: null, state: null }), '?tab=manage', null)
  expect(screen.getByRole('tab', { name: 'Overview' }).getAttribute('aria-selected')).toBe('true')
})

it('a visitor is asked to sign in, and comes back to the competition', async () => {
  await show(makeCompetition({ role: null, state: null }), '', null)
  expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
    '/sign-in?next=%2Fcompetitions%2Fcifar-sprint',
  )
  expect(screen.queryByRole('button', { name: 'Join' })).toBeNull()
})

it('a page of a competition is shown as Markdown, and HTML in it stays text', async () => {
  const text = '# Rules\n\n**No** other data.\n\n<img src=x onerror="alert(1)">'
  await show(makeCompetition({ pages: [{ name: 'rules.md', title: 'Rules', text }] }))
  expect((await screen.findByText('No')).tagName).toBe('STRONG')
  expect(document.querySelector('img, script')).toBeNull()
  expect(screen.getAllByText('Rules')).toHaveLength(1)
  expect(screen.getByText(/onerror/)).toBeTruthy()
})

it('whoever joins accepts the terms first, and may name the team', async () => {
  await show(makeCompetition({ role: null, state: null, terms: 'Share no data.' }))
  answerWith({ [`POST ${path}/join`]: makeCompetition() })
  clickButton('Join')
  expect((await screen.findByRole('alert')).textContent).toBe('Accept the terms before you join.')
  expect(sentRequests.some(({ method }) => method === 'POST')).toBe(false)
  fireEvent.click(screen.getByLabelText('I accept these terms'))
  typeInto('Name of your team', ' Tensors ')
  clickButton('Join')
  await screen.findByText('You have joined CIFAR sprint')
  expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({
    accept_terms: true,
    team: 'Tensors',
  })
})

it.each([
  ['takes none', null, 'Refused, except with an extension'],
  [
    'takes a penalty from them',
    { grace_minutes: 5, max_days: 2, percent_per_day: 10 },
    'For grades only: 5 minutes cost nothing, at most 2 days, 10 % less a day',
  ],
  [
    'takes nothing from them',
    { grace_minutes: 0, max_days: 1, percent_per_day: 0 },
    'For grades only: at most 1 day',
  ],
] as const)('the overview says what late entries cost in a phase that %s', async (_, late, expected) => {
  await show(makeCompetition({ phases: [makePhase({ late })] }))
  expect(screen.getByText('Late entries').nextElementSibling?.textContent).toBe(expected)
})

it('the overview says what a score is worth, if grades are points', async () => {
  await show(makeCompetition({ phases: [makePhase({ points: 20 })] }))
  expect(screen.getByText('A score of 1 is 20 points')).toBeTruthy()
})

it.each([
  ['is not open yet', { state: 'upcoming' }, 'It accepts no entries yet.'],
  ['has ended', { state: 'ended' }, 'It accepts only entries of participants with an extension.'],
  [
    'has ended and takes late entries',
    { state: 'ended', late: { grace_minutes: 0, max_days: 2, percent_per_day: 10 } },
    'An entry is late now. For grades only: at most 2 days, 10 % less a day.',
  ],
  [
    'is revealed',
    { state: 'ended', revealed: true },
    'Its results are revealed, so it accepts no more entries.',
  ],
] as const)('whoever submits reads what a phase that %s does with entries', async (_, changes, expected) => {
  await show(makeCompetition({ phases: [makePhase(changes)] }), '?tab=submit')
  expect(await screen.findByText(expected)).toBeTruthy()
})

it('a member accepts terms that came later, without joining again', async () => {
  await show(makeCompetition({ terms: 'Share no data.', terms_accepted: false }))
  expect(screen.queryByLabelText('Name of your team')).toBeNull()
  answerWith({ [`POST ${path}/join`]: { state: 'joined' }, [`GET ${path}`]: makeCompetition() })
  fireEvent.click(screen.getByLabelText('I accept these terms'))
  clickButton('Accept')
  await screen.findByText('You take part')
  expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({ accept_terms: true })
})

it('a refused join says why', async () => {
  await show(makeCompetition({ role: null, state: null, join: 'roster' }))
  const detail = 'ada@example.org is not on the roster. Ask a host.'
  answerWith({ [`POST ${path}/join`]: new ApiProblem(403, { detail, code: 'forbidden' }) })
  clickButton('Join')
  expect((await screen.findByRole('alert')).textContent).toBe(detail)
})

it('a request to join can be withdrawn', async () => {
  await show(makeCompetition({ role: null, state: 'requested', join: 'approve' }))
  expect(screen.getByText('You have asked to join')).toBeTruthy()
  answerWith({ [`POST ${path}/leave`]: new Response(null, { status: 204 }) })
  answerWith({ [`GET ${path}`]: makeCompetition({ role: null, state: null, join: 'approve' }) })
  clickButton('Withdraw')
  await screen.findByRole('button', { name: 'Ask to join' })
})

it('an unpublished competition says to its host what is missing, and the command that adds it', async () => {
  await show(makeHosted({ published: false, missing: ['The dataset truth has no files.'] }))
  expect(screen.getByText('The dataset truth has no files.')).toBeTruthy()
  expect(screen.getByText('gpuq competition create .')).toBeTruthy()
})

it('a phase is described with its dates, its quota and what an entry gets', async () => {
  const run = { environment: 'pytorch', gpu_count: 1, gpu_fraction: 0.5, gpu_model: null, max_time: 600 }
  await show(makeCompetition({ phases: [makePhase({ run, select: 'chosen', choose: 2 })] }))
  expect(screen.getByText('5 a day, 60 in all, at most 10 failures a day')).toBeTruthy()
  expect(screen.getByText('0.5 of a GPU, at most 10 min, environment pytorch')).toBeTruthy()
  expect(screen.getByText('The best of the 2 entries that the team chooses')).toBeTruthy()
  expect(screen.getAllByText(/^ends in 1 d 23 h|^ends in 2 d 0 h/).length).toBeGreaterThan(0)
})

it('a program is sent with the config of its phase, and its entry appears in the list', async () => {
  await show(makeCompetition(), '?tab=submit')
  await screen.findByRole('heading', { name: 'New entry' })
  clickButton('Submit')
  expect((await screen.findByRole('alert')).textContent).toBe('Choose the program: solution.py.')
  const file = new File(['print(1)'], 'solution.py')
  fireEvent.change(screen.getByLabelText(/Choose solution.py/), { target: { files: [file] } })
  typeInto('Name', 'first "try"')
  fireEvent.click(screen.getByRole('switch', { name: 'Rehearse' }))
  const config = screen.getByRole('region', { name: 'config.yaml' }).textContent
  answerWith({ 'POST /api/submit': { job_id: 'x', status: 'pending' } })
  clickButton('Rehearse')
  await screen.findByRole('table', { name: 'Entries' })
  expect(window.location.search).toContain('tab=entries')
  expect(config).toContain('competition_id: cifar-sprint\nproject_id: cifar-sprint\nphase: main\n')
  expect(config).toContain('name: "first \\"try\\""\nrehearse: true\n')
})

it('a refused entry says why, and stays in the form', async () => {
  await show(makeCompetition(), '?tab=submit')
  await screen.findByRole('heading', { name: 'New entry' })
  const file = new File(['print(1)'], 'solution.py')
  fireEvent.change(screen.getByLabelText(/Choose solution.py/), { target: { files: [file] } })
  const detail = 'Your team has sent 5 entries today.'
  answerWith({ 'POST /api/submit': new ApiProblem(429, { detail, code: 'rate_limited' }) })
  clickButton('Submit')
  expect((await screen.findByRole('alert')).textContent).toBe(detail)
  expect(screen.getByText('solution.py')).toBeTruthy()
})

it('the printed command has the config of the chosen phase', async () => {
  await show(makeCompetition(), '?tab=submit')
  const config = await screen.findByRole('region', { name: 'config.yaml' })
  expect(config.textContent).toContain('competition_id: cifar-sprint')
  expect(screen.getByRole('region', { name: 'curl command' }).textContent).toContain('/api/submit')
})

it('the list of competitions says what a user is in each', async () => {
  answerWith({
    'GET /api/competitions': [
      makeCompetition(),
      makeCompetition({ competition_id: 'b', title: 'B', role: null, state: null }),
      makeCompetition({ competition_id: 'c', title: 'C', role: 'host', published: false }),
    ],
  })
  renderUi(<CompetitionList />)
  const table = await screen.findByRole('table', { name: 'Competitions' })
  const rows = within(table).getAllByRole('row').slice(1)
  expect(rows.map((row) => within(row).getAllByRole('cell').at(-1)?.textContent)).toEqual([
    expect.stringContaining('joined'),
    expect.stringContaining('not joined'),
    expect.stringContaining('host'),
  ])
  expect(within(table).getByText('not published')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'B' }).getAttribute('href')).toBe('/competitions/b')
})

it('the empty list of competitions says what to do', async () => {
  answerWith({ 'GET /api/competitions': [] })
  renderUi(<CompetitionList />)
  expect(await screen.findByText('No competitions yet')).toBeTruthy()
  expect(screen.getByText(/gpuq competition create DIR/)).toBeTruthy()
})
