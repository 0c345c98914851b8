import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Entry } from '@/lib/competitions/contract-entries'
import {
  ApiProblem,
  answerWith,
  clickButton,
  openByKeyboard,
  renderUi,
  sentRequests,
  typeInto,
} from '../../testing/render'
import { viewerOf } from '../facts'
import { AllEntries } from '../manage/all-entries'
import { makeCompetition, makeEntry, makeHosted, makePhase, makeQuota } from '../testing/make-competition'
import { EntriesTab } from './entries-tab'

const path = '/api/competitions/cifar-sprint/phases/main'
const waitingId = '01931111-0000-7000-8000-000000000009'

async function show(entries: readonly Entry[], phase = makePhase()) {
  answerWith({
    [`GET ${path}/entries`]: entries,
    [`GET ${path}/quota`]: { quota: makeQuota(), waiting: [{ id: waitingId, place: 3, ahead: 2 }] },
  })
  renderUi(<EntriesTab competition={makeCompetition()} phase={phase} />)
  return screen.findByRole('table', { name: 'Entries' })
}

async function openMenu(entry = 'baseline') {
  openByKeyboard(screen.getByRole('button', { name: `Actions of ${entry}` }))
  return screen.findByRole('menu')
}

async function choose(item: string, entry?: string) {
  fireEvent.click(within(await openMenu(entry)).getByRole('menuitem', { name: item }))
}

it('entries show their scores, or why they have none, and the quota says what is left', async () => {
  const table = await show([
    makeEntry(),
    makeEntry({
      id: '01931111-0000-7000-8000-000000000002',
      name: null,
      state: 'failed',
      cause: 'memory',
      message: 'The program needed more memory than it had.',
      scores: {},
    }),
  ])
  expect(within(table).getByText('0.9123')).toBeTruthy()
  expect(within(table).getByText('Out of memory')).toBeTruthy()
  expect(within(table).getByText('The program needed more memory than it had.')).toBeTruthy()
  expect(within(table).getByText('…00000002')).toBeTruthy()
  expect(screen.getByText('3 of 5')).toBeTruthy()
  expect(screen.getByText('58 of 60')).toBeTruthy()
})

it('an entry that arrived after the end is marked, and one before it or a rehearsal is not', async () => {
  const ends_at = '2027-01-30T00:00:00.000Z'
  const received = (id: number, name: string, changes: Partial<Entry>) =>
    makeEntry({ id: `01931111-0000-7000-8000-00000000000${id}`, name, ...changes })
  const table = await show(
    [
      received(1, 'in time', { received_at: '2027-01-29T23:59:59.999Z' }),
      received(2, 'at the end', { received_at: ends_at }),
      received(3, 'tried', { received_at: '2027-01-31T00:00:00.000Z', kind: 'rehearsal' }),
    ],
    makePhase({ ends_at }),
  )
  const marked = within(table)
    .getAllByRole('row')
    .filter((row) => within(row).queryByText('after the end'))
  expect(marked).toHaveLength(1)
  expect(within(marked[0] as HTMLElement).getByText('at the end')).toBeTruthy()
})

it('a waiting entry says how many entries of other teams are before it', async () => {
  const waiting = makeEntry({ id: waitingId, state: 'held', message: 'It waits for a place.', scores: {} })
  const table = await show([waiting])
  expect(
    await within(table).findByText('It waits for a place. 2 entries of other teams are before it.'),
  ).toBeTruthy()
})

it('a running entry is withdrawn after a confirmation', async () => {
  const entry = makeEntry({ state: 'running', scores: {}, ended_at: null })
  await show([entry])
  answerWith({ [`POST /api/entries/${entry.id}/withdraw`]: { ...entry, state: 'cancelled' } })
  await choose('Withdraw')
  const dialog = await screen.findByRole('alertdialog', { name: 'Withdraw baseline?' })
  fireEvent.click(within(dialog).getByRole('button', { name: 'Withdraw' }))
  await screen.findByText('The entry was withdrawn')
})

it('an ended entry cannot be withdrawn, and its output is not offered if the phase hides it', async () => {
  await show([makeEntry()])
  const items = within(await openMenu()).getAllByRole('menuitem')
  expect(items.map(({ textContent }) => textContent)).toEqual(['Program'])
})

it('an entry names what its score depends on', async () => {
  const provenance = {
    scorer_version: 3,
    data: { test: 'test@2', train: 'train@1' },
    seed: 'ce140034',
    image: 'sha256:1c1a',
    gpus: ['NVIDIA H200'],
  }
  await show([makeEntry({ provenance })])
  await choose('What it ran with')
  const dialog = await screen.findByRole('dialog', { name: 'What baseline ran with' })
  for (const text of ['test@2, train@1', '3', 'ce140034', 'sha256:1c1a', 'NVIDIA H200', '2 min'])
    expect(within(dialog).getByText(text)).toBeTruthy()
})

it('the output of a rehearsal is shown without control sequences', async () => {
  const entry = makeEntry({ kind: 'rehearsal', log: true })
  await show([entry])
  answerWith({ [`GET /api/entries/${entry.id}/log`]: new Response('epoch 1\n\u001b[31mloss\u001b[0m 0.5') })
  await choose('Output')
  const output = await screen.findByRole('region', { name: 'Output' })
  expect(output.textContent).toBe('epoch 1\nloss 0.5')
})

it('an entry is chosen for the final results where the phase asks for a choice', async () => {
  const entry = makeEntry()
  await show([entry], makePhase({ select: 'chosen', choose: 2 }))
  expect(screen.getByText('0 of 2 entries chosen for the final results')).toBeTruthy()
  answerWith({
    [`POST /api/entries/${entry.id}/choose`]: { ...entry, chosen: true },
    [`GET ${path}/entries`]: [{ ...entry, chosen: true }],
  })
  await choose('Choose for the final results')
  await screen.findByText('1 of 2 entries chosen for the final results')
  expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({ chosen: true })
})

it('a choice that is refused says why', async () => {
  const entry = makeEntry()
  await show([entry], makePhase({ select: 'chosen', choose: 2 }))
  const detail = 'Two entries are chosen. Take one back first.'
  answerWith({ [`POST /api/entries/${entry.id}/choose`]: new ApiProblem(409, { detail, code: 'conflict' }) })
  await choose('Choose for the final results')
  await screen.findByText(detail)
})

it('a host disqualifies an entry with a reason, and can take that back', async () => {
  const competition = makeHosted()
  const entry = makeEntry({ team: 'ben', user_id: 'ben' })
  answerWith({ [`GET ${path}/entries`]: [entry] })
  renderUi(<AllEntries competition={competition} phase={makePhase()} viewer={viewerOf(competition)} />)
  await screen.findByRole('table', { name: 'Entries' })
  await choose('Disqualify')
  await screen.findByRole('dialog', { name: 'Disqualify baseline?' })
  clickButton('Disqualify')
  await screen.findByText('Write why: the team reads it.')
  typeInto(/Reason/, 'It reads the labels.')
  const disqualified = { ...entry, disqualified: 'It reads the labels.' }
  answerWith({
    [`POST /api/entries/${entry.id}/disqualify`]: disqualified,
    [`GET ${path}/entries`]: [disqualified],
  })
  clickButton('Disqualify')
  await screen.findByText('disqualified')
  expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({
    reason: 'It reads the labels.',
  })
  await choose('Take the disqualification back')
  await screen.findByRole('alertdialog')
})

it('a TA sees the entries of all teams, and cannot disqualify them', async () => {
  const competition = makeCompetition({ role: 'ta' })
  answerWith({ [`GET ${path}/entries`]: [makeEntry({ log: true })] })
  renderUi(<AllEntries competition={competition} phase={makePhase()} viewer={viewerOf(competition)} />)
  await screen.findByRole('table', { name: 'Entries' })
  expect(sentRequests.find(({ path: sent }) => sent === `${path}/entries`)?.query.get('all')).toBe('true')
  const items = within(await openMenu()).getAllByRole('menuitem')
  expect(items.map(({ textContent }) => textContent)).toEqual(['Output', 'Program'])
})

it('the staff filters entries by state: a rehearsal that ended well is not scored', async () => {
  const competition = makeCompetition({ role: 'ta' })
  const rehearsal = makeEntry({
    id: '01931111-0000-7000-8000-000000000002',
    name: 'a try',
    kind: 'rehearsal',
    scores: {},
  })
  answerWith({ [`GET ${path}/entries`]: [makeEntry(), rehearsal] })
  renderUi(<AllEntries competition={competition} phase={makePhase()} viewer={viewerOf(competition)} />)
  const table = await screen.findByRole('table', { name: 'Entries' })
  within(table).getByText('Completed')
  openByKeyboard(screen.getByRole('combobox', { name: 'Entries with the state' }))
  fireEvent.click(await screen.findByRole('option', { name: 'Scored' }))
  expect(within(table).queryByText('Completed')).toBeNull()
  within(table).getByText('Scored')
})
