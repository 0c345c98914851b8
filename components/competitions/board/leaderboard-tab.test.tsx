import { screen, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Board } from '@/lib/competitions/contract-boards'
import { answerWith, renderUi, sentRequests, typeInto } from '../../testing/render'
import { makeBoard, makeBoardRow, makeCompetition, makePhase } from '../testing/make-competition'
import { LeaderboardTab } from './leaderboard-tab'

const path = '/api/competitions/cifar-sprint/phases/main/leaderboard'

beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800)
  // The window of the rows is measured by this.
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600)
})

async function show(board: Board, phase = makePhase()) {
  answerWith({
    [`GET ${path}`]: ({ query }: { query: URLSearchParams }) => {
      const offset = Number(query.get('offset'))
      return offset === 0 ? board : makeBoard(board.total, offset)
    },
  })
  renderUi(<LeaderboardTab competition={makeCompetition({ phases: [phase] })} phase={phase} />)
  return screen.findByRole('table', { name: 'Leaderboard' })
}

const cells = (row: HTMLElement | undefined) =>
  row
    ? within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent)
    : []

it('a board shows ranks, changes, teams and values in the digits of the server', async () => {
  const rows = [
    makeBoardRow(1, { change: 2 }),
    makeBoardRow(2, { change: null, team: 'ada', own: true, values: { acc: '0.9000', seconds: '3.0' } }),
    makeBoardRow(2, { change: -1, team: 'ben', values: { acc: '0.9000' } }),
    makeBoardRow(0, { rank: null, change: null, team: 'staff', kind: 'baseline' }),
  ]
  const table = await show(makeBoard(4, 0, 200, { rows }))
  const shown = within(table).getAllByRole('row').slice(1)
  expect(cells(shown[0]).slice(0, 3)).toEqual(['1', 'up 2', 'team-1'])
  expect(cells(shown[1]).slice(0, 5)).toEqual(['2', 'new', 'adayou', '0.9000', '3.0'])
  expect(cells(shown[2]).slice(0, 5)).toEqual(['2', 'down 1', 'ben', '0.9000', '–'])
  expect(cells(shown[3]).slice(0, 3)).toEqual(['–', '', 'staffbaseline'])
  expect(within(table).getByRole('columnheader', { name: /acc.*decides the rank/ })).toBeTruthy()
})

it('a board of 10,000 teams has only the rows in view in the page, and the own row below them', async () => {
  const own = makeBoardRow(7654, { team: 'ada', own: true })
  const table = await show(makeBoard(10_000, 0, 200, { own }))
  expect(table.getAttribute('aria-rowcount')).toBe('10001')
  const rows = within(table).getAllByRole('row')
  expect(rows.length).toBeLessThan(60)
  expect(cells(rows.at(-1)).slice(0, 3)).toEqual(['7,654', '', 'adayou'])
})

it('a search for a team asks the server', async () => {
  await show(makeBoard(3))
  answerWith({ [`GET ${path}`]: makeBoard(0) })
  typeInto('Find a team', 'zebra')
  await screen.findByText('No team has this name')
  expect(sentRequests.at(-1)?.query.get('q')).toBe('zebra')
})

it('a frozen board says from when on entries are not on it', async () => {
  await show(makeBoard(1, 0, 200, { frozen_at: '2027-01-30T00:00:00.000Z' }))
  expect(screen.getByText('The leaderboard is frozen')).toBeTruthy()
  expect(screen.getByText(/30 Jan 2027/)).toBeTruthy()
})

it('the staff reads that its board is live while that of participants is frozen', async () => {
  await show(makeBoard(1), makePhase({ frozen: true, freeze_at: '2027-01-30T00:00:00.000Z' }))
  expect(screen.getByText('The leaderboard is frozen for participants')).toBeTruthy()
  expect(screen.queryByText(/The leaderboard freezes at/)).toBeNull()
})

it('an empty board announces a first entry only while it is live', async () => {
  const [live, frozen] = [makeBoard(0), makeBoard(0, 0, 200, { frozen_at: '2027-01-30T00:00:00.000Z' })]
  answerWith({ [`GET ${path}`]: live })
  const phase = makePhase()
  const { unmount } = renderUi(<LeaderboardTab competition={makeCompetition()} phase={phase} />)
  await screen.findByText('No entry has a score yet')
  unmount()
  answerWith({ [`GET ${path}`]: frozen })
  renderUi(<LeaderboardTab competition={makeCompetition()} phase={phase} />)
  await screen.findByText('No entry is on this leaderboard')
})

it('a revealed board says that its results are final, and marks the private columns', async () => {
  const columns = [{ name: 'priv', order: 'desc', digits: 4, split: 'private' } as const]
  const table = await show(makeBoard(1, 0, 200, { revealed: true, columns, rank_by: 'priv' }))
  expect(screen.getByRole('heading', { name: 'Final leaderboard' })).toBeTruthy()
  expect(within(table).getByRole('columnheader', { name: /private/ })).toBeTruthy()
})

it('a board can be downloaded as CSV and read as JSON', async () => {
  await show(makeBoard(1))
  expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toBe(`${path}.csv`)
  expect(screen.getByRole('link', { name: 'JSON' }).getAttribute('href')).toBe(`${path}?limit=1000`)
})

it('a board without a score says what comes', async () => {
  answerWith({ [`GET ${path}`]: makeBoard(0) })
  renderUi(<LeaderboardTab competition={makeCompetition()} phase={makePhase()} />)
  expect(await screen.findByText('No entry has a score yet')).toBeTruthy()
})
