import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { CompetitionDetail } from '@/lib/competitions/contract'
import { answerWith, clickButton, renderUi, sentRequests, typeInto } from '../../testing/render'
import { viewerOf } from '../facts'
import { makeCompetition, makeHosted, makeMember, makePhase } from '../testing/make-competition'
import { ManageTab } from './manage-tab'

const path = '/api/competitions/cifar-sprint'

async function show(competition: CompetitionDetail, members = [makeMember()]) {
  answerWith({ [`GET ${path}/phases/main/entries`]: [], [`GET ${path}/members`]: members })
  const [phase = makePhase()] = competition.phases
  renderUi(<ManageTab competition={competition} phase={phase} viewer={viewerOf(competition)} />)
  return screen.findByRole('table', { name: 'Members' })
}

it('a host approves who asks to join', async () => {
  const asking = makeMember({ state: 'requested', team: null })
  const table = await show(makeHosted(), [asking])
  expect(within(table).getByText('asks to join')).toBeTruthy()
  answerWith({ [`PATCH ${path}/members/ben`]: makeMember(), [`GET ${path}/members`]: [makeMember()] })
  clickButton(/^Approve ?ben$/)
  await screen.findByText('ben has joined')
  expect(sentRequests.find(({ method }) => method === 'PATCH')?.body).toEqual({ state: 'joined' })
})

it('a host changes the section of a member without touching the role', async () => {
  await show(makeHosted())
  answerWith({ [`PATCH ${path}/members/ben`]: makeMember({ section: 'Monday' }) })
  clickButton(/^Change ?ben$/)
  await screen.findByRole('dialog', { name: 'Change ben' })
  typeInto('Section', 'Monday')
  clickButton('Save')
  await expect
    .poll(() => sentRequests.find(({ method }) => method === 'PATCH')?.body)
    .toEqual({
      section: 'Monday',
    })
})

it('an instructor changes members, but neither their roles nor what only hosts do', async () => {
  await show(makeCompetition({ role: 'instructor' }))
  clickButton(/^Change ?ben$/)
  const dialog = await screen.findByRole('dialog', { name: 'Change ben' })
  expect(within(dialog).queryByLabelText('Role')).toBeNull()
  expect(screen.queryByText('Reveal results')).toBeNull()
  expect(screen.getByRole('heading', { name: 'Roster', hidden: true })).toBeTruthy()
})

it('a TA reads members, and changes nothing', async () => {
  await show(makeCompetition({ role: 'ta' }))
  expect(screen.queryByRole('button', { name: /^Change ?ben$/ })).toBeNull()
  expect(screen.queryByRole('heading', { name: 'Roster' })).toBeNull()
})

it('a host cannot reveal the results of a phase before its end', async () => {
  await show(makeHosted())
  expect(screen.getByText('You can reveal its results after its end.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Reveal results' })).toBeNull()
})

it('a host reveals the final results of a phase that has ended, after a confirmation', async () => {
  const ends_at = new Date(Date.now() - 60_000).toISOString()
  await show(makeHosted({ phases: [makePhase({ ends_at })] }))
  clickButton('Reveal results')
  const dialog = await screen.findByRole('alertdialog', { name: /Reveal the final results of Main round/ })
  answerWith({ [`POST ${path}/phases/main/reveal`]: {} })
  fireEvent.click(within(dialog).getByRole('button', { name: 'Reveal' }))
  await screen.findByText('The final results of Main round are shown')
})

const answer = {
  dry_run: true,
  added: 0,
  changed: 0,
  removed: 0,
  unchanged: 0,
  moved: 0,
  hints: [] as string[],
  problems: [] as unknown[],
}
const rosterPath = `PUT ${path}/roster?dry_run=true`

it('a roster is previewed, its problems name their lines, and a correct one replaces the stored one', async () => {
  await show(makeHosted({ join: 'roster' }))
  const problem = { line: 3, message: '"ada" is no e-mail address.' }
  answerWith({ [rosterPath]: { ...answer, problems: [problem] } })
  typeInto('Or paste the text', 'email\nben@example.org\nada')
  clickButton('Preview')
  await screen.findByText('Line 3: "ada" is no e-mail address.')
  expect(screen.queryByRole('button', { name: 'Replace the roster' })).toBeNull()
  typeInto('Or paste the text', 'email\nben@example.org\nada@example.org')
  answerWith({
    [rosterPath]: ({ query }: { query: URLSearchParams }) => ({
      ...answer,
      added: 2,
      hints: ['The column "mark" was left out.'],
      dry_run: query.get('dry_run') === 'true',
    }),
  })
  clickButton('Preview')
  await screen.findByText('This would be the change: 2 added, 0 changed, 0 removed, 0 unchanged.')
  expect(screen.getByText('The column "mark" was left out.')).toBeTruthy()
  clickButton('Replace the roster')
  await screen.findByText('Done: 2 added, 0 changed, 0 removed, 0 unchanged.')
})

it('a file of a roster is sent in its bytes, because a spreadsheet chooses the encoding', async () => {
  await show(makeHosted({ join: 'roster' }))
  answerWith({ [rosterPath]: { ...answer, added: 1 } })
  const file = new File([Uint8Array.of(0xe9, 0x0a)], 'roster.csv')
  fireEvent.change(screen.getByLabelText(/Choose a CSV file/), { target: { files: [file] } })
  await screen.findByText('roster.csv')
  clickButton('Preview')
  await screen.findByText(/1 added/)
  expect(sentRequests.find(({ method }) => method === 'PUT')?.body).toEqual({ file: '6Qo=' })
})
