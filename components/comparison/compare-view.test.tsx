import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { JobGroup } from '../metrics/group-lines'
import type { MetricsJob } from '../metrics/metrics-view'
import { makeJob } from '../testing/fixtures'
import { router } from '../testing/navigation'
import { answerWith, clickButton, openByKeyboard, renderUi } from '../testing/render'
import { CompareView } from './compare-view'

vi.mock('next/navigation', () => import('../testing/navigation'))
// The charts need a canvas.
vi.mock('../metrics/metrics-view', () => ({
  MetricsView: ({ jobs, groups }: { jobs: readonly MetricsJob[]; groups: readonly JobGroup[] | null }) => (
    <>
      <p>Charts of {jobs.map(({ label, index }) => `${index} ${label}`).join(', ')}</p>
      {groups?.map(({ id, label, index, jobs: members }) => (
        <p key={id}>{`Mean ${index} of ${label}: ${members.map((member) => member.slice(-1)).join(' ')}`}</p>
      ))}
    </>
  ),
}))

const [first, second] = ['01931111-0000-7000-8000-00000000000a', '01931111-0000-7000-8000-00000000000b']

function answerWithJobs(): void {
  answerWith({
    [`GET /api/status/${first}`]: makeJob({ job_id: first, metrics: { loss: 0.5, step: 9 } }),
    [`GET /api/status/${second}`]: makeJob({ job_id: second, metrics: { loss: 0.25, acc: 1 } }),
    [`GET /api/jobs/${first}/source`]: {
      code: 'print(1)\n',
      config: 'env:\n  LR: 1\nseed: 1\n',
      command: null,
    },
    [`GET /api/jobs/${second}/source`]: {
      code: 'print(2)\n',
      config: 'env:\n  LR: 2\nseed: 1\n',
      command: null,
    },
  })
}

const rowsOf = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent))

it('shows the last metrics, the keys that differ and the lines that differ', async () => {
  answerWithJobs()
  renderUi(<CompareView ids={[first, second]} missing={[]} left={0} />)
  expect(rowsOf(await screen.findByRole('table', { name: 'Final metrics' }))).toEqual([
    ['acc', '–', '1'],
    ['loss', '0.5', 'best0.25'],
    ['step', '9', '–'],
  ])
  expect(rowsOf(await screen.findByRole('table', { name: 'Configs' }))).toEqual([['env.LR', '1', '2']])
  expect(await screen.findByText(/added:/)).toBeTruthy()
  // Both jobs have the same name.
  expect(screen.getAllByRole('link', { name: /^baseline/ }).map(({ textContent }) => textContent)).toEqual([
    'baseline (000a)',
    'baseline (000b)',
  ])
  clickButton('Remove baseline (000a) from the comparison')
  expect(router.push).toHaveBeenCalledWith(`/jobs/compare?ids=${second}`)
})

it('hides a job in the charts, which keeps its colour and its place in the tables', async () => {
  answerWithJobs()
  renderUi(<CompareView ids={[first, second]} missing={[]} left={0} />)
  expect(await screen.findByText('Charts of 0 baseline (000a), 1 baseline (000b)')).toBeTruthy()
  clickButton('Hide baseline (000a) in the charts')
  expect(await screen.findByText('Charts of 1 baseline (000b)')).toBeTruthy()
  expect(location.search).toBe(`?hide=${first}`)
  expect(screen.getByRole('table', { name: 'Final metrics' }).textContent).toContain('0.5')
  clickButton('Hide baseline (000b) in the charts')
  expect(await screen.findByText('All jobs are hidden in the charts.')).toBeTruthy()
  for (const label of ['000a', '000b']) clickButton(`Hide baseline (${label}) in the charts`)
  expect(await screen.findByText('Charts of 0 baseline (000a), 1 baseline (000b)')).toBeTruthy()
  expect(location.search).toBe('')
})

it('says which ids have no job, and how many jobs are left out', async () => {
  answerWithJobs()
  renderUi(<CompareView ids={[first]} missing={['\u202enonsense']} left={2} />)
  expect(await screen.findByText('2 jobs left out')).toBeTruthy()
  expect(screen.getByText('A job was not found')).toBeTruthy()
  expect(screen.queryByText(/\u202e/)).toBeNull()
  expect(await screen.findByRole('link', { name: 'baseline' })).toBeTruthy()
  expect(screen.queryByRole('region', { name: 'Differences of the programs' })).toBeNull()
})

it('a comparison without jobs says what to do', () => {
  renderUi(<CompareView ids={[]} missing={[]} left={0} />)
  expect(screen.getByText('No jobs to compare')).toBeTruthy()
})

it('marks the best of each row, and the other one on request', async () => {
  window.history.replaceState(null, '', '/jobs/compare?ids=a')
  answerWithJobs()
  renderUi(<CompareView ids={[first, second]} missing={[]} left={0} />)
  const table = await screen.findByRole('table', { name: 'Final metrics' })
  clickButton('The lowest loss is the best. Mark the highest')
  expect(rowsOf(table)).toContainEqual(['loss', 'best0.5', '0.25'])
  expect(location.search).toBe('?ids=a&turned=loss')
  clickButton('The highest loss is the best. Mark the lowest')
  expect(rowsOf(table)).toContainEqual(['loss', '0.5', 'best0.25'])
  expect(location.search).toBe('?ids=a')
  // A counter has no best value.
  expect(screen.queryByRole('button', { name: /step is the best/ })).toBeNull()
})

const third = '01931111-0000-7000-8000-00000000000c'

function answerWithThree(): void {
  answerWithJobs()
  answerWith({
    [`GET /api/status/${first}`]: makeJob({
      job_id: first,
      tags: ['lr=0.1'],
      metrics: { loss: 0.5, acc: 1 },
    }),
    [`GET /api/status/${third}`]: makeJob({ job_id: third, tags: ['lr=0.1'], metrics: { loss: 0.75 } }),
    [`GET /api/jobs/${third}/source`]: { code: '', config: 'env:\n  LR: 1\n', command: null },
  })
}

it('groups the jobs by a tag: colours, means in the charts, and mean and number in the table', async () => {
  answerWithThree()
  renderUi(<CompareView ids={[first, second, third]} missing={[]} left={0} />)
  await screen.findByText(/^Charts of 0 baseline \(000a\), 1 .*, 2 /)
  const select = screen.getByRole('combobox', { name: 'Group by' })
  await waitFor(() => expect(select).toHaveProperty('disabled', false))
  openByKeyboard(select)
  expect((await screen.findAllByRole('option')).map(({ textContent }) => textContent)).toEqual([
    'None',
    'Tag lr',
    'Config env.LR',
    'Config seed',
  ])
  fireEvent.click(screen.getByRole('option', { name: 'Tag lr' }))
  expect(await screen.findByText('Mean 0 of lr=0.1: a c')).toBeTruthy()
  expect(screen.getByText('Mean 1 of no lr: b')).toBeTruthy()
  expect(screen.getByText(/^Charts of 0 baseline \(000a\), 1 .*, 0 /)).toBeTruthy()
  expect(location.search).toBe('?group=tag.lr')
  const group = screen.getByRole('region', { name: 'lr=0.1' })
  expect(group.textContent).toContain('n = 2')
  expect(within(group).getAllByRole('listitem')).toHaveLength(2)
  const table = screen.getByRole('table', { name: 'Final metrics' })
  expect(
    within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent),
  ).toEqual(['Metric', 'lr=0.1n = 2', 'no lrn = 1'])
  expect(rowsOf(table)).toEqual([
    ['acc', '1n = 1', '1'],
    ['loss', '0.625 (0.5 to 0.75)', 'best0.25'],
  ])
})

it('opens with the groups of the address, which stay when a job is removed', async () => {
  window.history.replaceState(null, '', `/jobs/compare?ids=${first},${second},${third}&group=config.env.LR`)
  answerWithThree()
  renderUi(<CompareView ids={[first, second, third]} missing={[]} left={0} />)
  expect(await screen.findByText('Mean 0 of env.LR=1: a c')).toBeTruthy()
  expect(screen.getByText('Mean 1 of env.LR=2: b')).toBeTruthy()
  clickButton('Remove baseline (000b) from the comparison')
  expect(router.push).toHaveBeenLastCalledWith(`/jobs/compare?ids=${first},${third}&group=config.env.LR`)
})

it('a single job has no group, because it has nothing to choose', async () => {
  window.history.replaceState(null, '', '/jobs/compare?group=tag.lr')
  answerWithThree()
  renderUi(<CompareView ids={[first]} missing={[]} left={0} />)
  expect(await screen.findByText('Charts of 0 baseline')).toBeTruthy()
  expect(screen.queryByRole('region', { name: 'lr=0.1' })).toBeNull()
  expect(screen.queryByRole('combobox', { name: 'Group by' })).toBeNull()
})

it('shows no charts of single jobs while the groups of the address are not known, and ignores one that no job has', async () => {
  window.history.replaceState(null, '', '/jobs/compare?group=tag.lr')
  answerWithThree()
  let answer: (source: unknown) => void = () => {}
  const source = new Promise((resolve) => {
    answer = resolve
  })
  answerWith({ [`GET /api/jobs/${third}/source`]: () => source })
  renderUi(<CompareView ids={[first, third]} missing={[]} left={0} />)
  expect(await screen.findByRole('combobox', { name: 'Group by' })).toBeTruthy()
  expect(screen.queryByText(/^Charts of/)).toBeNull()
  expect(screen.queryByRole('table', { name: 'Final metrics' })).toBeNull()
  answer({ code: '', config: '', command: null })
  expect(await screen.findByText('Mean 0 of lr=0.1: a c')).toBeTruthy()
  act(() => window.history.replaceState(null, '', '/jobs/compare?group=tag.other'))
  expect(await screen.findByText(/^Charts of 0 .*, 1 /)).toBeTruthy()
  expect(screen.queryByText(/^Mean/)).toBeNull()
})
