import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Similar } from '@/lib/competitions/contract-similarity'
import { answerWith, clickButton, openByKeyboard, renderUi, sentRequests } from '../../testing/render'
import { viewerOf } from '../facts'
import { makeHosted, makePhase } from '../testing/make-competition'
import { ManageTab } from './manage-tab'

const path = '/api/competitions/cifar-sprint'
const [first, second] = ['01931111-0000-7000-8000-000000000001', '01931111-0000-7000-8000-000000000002']

const similar: Similar = {
  phase: 'main',
  programs: 12,
  left_out: 1,
  templates: 1,
  pairs: [
    {
      share: 0.625,
      a: { entry_id: first, team: 'ada', lines: 6 },
      b: { entry_id: second, team: 'ben', lines: 5 },
      matches: [
        { a: [1, 2], b: [4, 5] },
        { a: [5, 6], b: [1, 2] },
      ],
    },
  ],
}

/** Opens the part of the page. */
function compare(answer: Similar) {
  answerWith({
    [`GET ${path}/phases/main/entries`]: [],
    [`GET ${path}/members`]: [],
    [`GET ${path}/phases/main/similar`]: answer,
    [`GET /api/entries/${first}/source`]: () => new Response('a1\na2\na3\na4\na5\na6\n'),
    [`GET /api/entries/${second}/source`]: () => new Response('b1\r\nb2\r\nb3\r\nb4\r\nb5\r\n'),
  })
  const competition = makeHosted()
  renderUi(<ManageTab competition={competition} phase={makePhase()} viewer={viewerOf(competition)} />)
}

const requests = () => sentRequests.filter((request) => request.path.endsWith('/similar'))

const markedIn = (region: HTMLElement) =>
  within(region)
    .getAllByRole('row', { current: true })
    .map((row) => within(row).getAllByRole('cell').at(-1)?.textContent)

it('the programs of a phase are compared when the staff asks for it, and the list says that a person must judge', async () => {
  compare(similar)
  expect(requests()).toEqual([])
  clickButton('Compare the programs')
  const table = await screen.findByRole('table', { name: 'Similar programs' })
  const [row] = within(table).getAllByRole('row').slice(1)
  expect(row?.textContent).toMatch(/ada and ben.*63 %.*2.*6 and 5/)
  expect(screen.getByText(/For human judgement: likeness proves nothing/)).toBeTruthy()
  expect(screen.getByText(/Compared 12 programs.*1 baseline.*Not compared: 1 program/)).toBeTruthy()
  expect(requests().map(({ query }) => query.get('min_share'))).toEqual(['0.3'])
  answerWith({ [`GET ${path}/phases/main/similar`]: { ...similar, pairs: [] } })
  openByKeyboard(screen.getByRole('combobox', { name: 'Share that is alike' }))
  ;(await screen.findByRole('option', { name: 'At least 70 %' })).click()
  await screen.findByText('No programs are alike')
  expect(requests().map(({ query }) => query.get('min_share'))).toEqual(['0.3', '0.7'])
})

it('two similar programs stand beside each other, and the lines of each part are marked in both', async () => {
  compare(similar)
  clickButton('Compare the programs')
  await screen.findByRole('table', { name: 'Similar programs' })
  clickButton(/^Compare ?ada and ben$/)
  const one = await screen.findByRole('region', { name: 'Program of ada' })
  const other = await screen.findByRole('region', { name: 'Program of ben' })
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Programs of ada and ben')
  expect([markedIn(one), markedIn(other)]).toEqual([
    ['a1', 'a2'],
    ['b4', 'b5'],
  ])
  clickButton('Next part')
  expect([markedIn(one), markedIn(other)]).toEqual([
    ['a5', 'a6'],
    ['b1', 'b2'],
  ])
  expect(screen.getByRole('status').textContent).toBe('Part 2 of 2, lines 5 to 6 of ada, lines 1 to 2 of ben')
  clickButton('Close the comparison')
  expect(document.activeElement?.textContent).toMatch(/^Compare ?ada and ben$/)
  expect(screen.queryByRole('region', { name: 'Program of ada' })).toBeNull()
})
