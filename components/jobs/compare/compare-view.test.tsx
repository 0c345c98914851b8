import { screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { makeJob } from '../../testing/fixtures'
import { router } from '../../testing/navigation'
import { answerWith, clickButton, renderUi } from '../../testing/render'
import type { MetricsJob } from '../metrics/metrics-view'
import { CompareView } from './compare-view'

vi.mock('next/navigation', () => import('../../testing/navigation'))
// The charts need a canvas.
vi.mock('../metrics/metrics-view', () => ({
  MetricsView: ({ jobs }: { jobs: readonly MetricsJob[] }) => (
    <p>Charts of {jobs.map(({ label, index }) => `${index} ${label}`).join(', ')}</p>
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
    ['loss', '0.5', '0.25'],
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

it('without jobs says what to do', () => {
  renderUi(<CompareView ids={[]} missing={[]} left={0} />)
  expect(screen.getByText('No jobs to compare')).toBeTruthy()
})
