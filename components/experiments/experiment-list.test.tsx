import { screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Experiment } from '@/lib/experiments/contract'
import { answerWith, clickButton, renderUi } from '../testing/render'
import { ExperimentList } from './experiment-list'
import { ExperimentPlace } from './experiment-place'

vi.mock('next/navigation', () => import('../testing/navigation'))

const idOf = (number: number) => `01931111-0000-7000-8000-${String(number).padStart(12, '0')}`

const make = (number: number, changes: Partial<Experiment> = {}): Experiment => ({
  id: idOf(number),
  kind: 'job',
  name: `job ${number}`,
  status: 'completed',
  user_id: 'ada',
  project_id: 'resnet',
  submitted_with: null,
  parent: null,
  hypothesis: null,
  note: null,
  parent_deleted: false,
  followers: 0,
  metrics: {},
  compared_job: idOf(number),
  created_at: '2026-11-22T10:00:00.000Z',
  ...changes,
})

const root = make(1, {
  followers: 1,
  metrics: { loss: 0.25 },
  submitted_with: { token_id: idOf(9), name: 'agent' },
})
const child = make(2, { parent: root.id, hypothesis: '<b>It</b> helps.' })

it('the page shows each experiment below the one that it follows, and collapses it', async () => {
  answerWith({ 'GET /api/experiments': [child, root, make(3, { parent_deleted: true })] })
  renderUi(<ExperimentList project={null} />)
  const table = await screen.findByRole('table', { name: 'Experiments' })
  const names = () =>
    within(table)
      .getAllByRole('link', { name: /^job/ })
      .map(({ textContent }) => textContent)
  expect(names()).toEqual(['job 1', 'job 2', 'job 3'])
  expect(within(table).getByText('<b>It</b> helps.')).toBeTruthy()
  expect(within(table).getByText('agent')).toBeTruthy()
  expect(within(table).getByText('follows an experiment that was deleted')).toBeTruthy()
  const compare = within(table).getByRole('link', { name: /Compare ?job 2 with job 1/ })
  expect(compare.getAttribute('href')).toBe(`/jobs/compare?ids=${root.id},${child.id}`)
  clickButton('Hide what follows job 1')
  expect(names()).toEqual(['job 1', 'job 3'])
})

it('a job says what it follows and what follows it', async () => {
  const group = make(4, { kind: 'group', name: null })
  answerWith({
    [`GET /api/experiments/${child.id}`]: {
      follows: root,
      parent_deleted: false,
      followed_by: [group],
      followers: 22,
    },
  })
  renderUi(<ExperimentPlace kind="job" id={child.id} of={{ ...child, followers: 22 }} />)
  expect(await screen.findByText(/Followed by/)).toBeTruthy()
  expect(screen.getByText('<b>It</b> helps.', { exact: false })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'job 1' }).getAttribute('href')).toBe(`/jobs/${root.id}`)
  expect(screen.getByRole('link', { name: 'Group 00000004' }).getAttribute('href')).toBe(
    `/groups/${group.id}`,
  )
  expect(screen.getByRole('link', { name: '21 others' }).getAttribute('href')).toBe(
    '/experiments?project=resnet',
  )
})

it.each([
  { kind: 'job', isOffered: true },
  { kind: 'group', isOffered: false },
] as const)(
  'a comparison with the job that a $kind follows is offered: $isOffered, because only jobs are compared',
  async ({ kind, isOffered }) => {
    answerWith({
      [`GET /api/experiments/${child.id}`]: {
        follows: root,
        parent_deleted: false,
        followed_by: [],
        followers: 0,
      },
    })
    renderUi(<ExperimentPlace kind={kind} id={child.id} of={child} />)
    expect(await screen.findByRole('link', { name: 'job 1' })).toBeTruthy()
    expect(screen.queryByRole('link', { name: 'compare with it' }) !== null).toBe(isOffered)
  },
)

it('a job that is no experiment says nothing about it', () => {
  const { container } = renderUi(<ExperimentPlace kind="job" id={root.id} of={{ ...make(5) }} />)
  expect(container.textContent).toBe('')
})
