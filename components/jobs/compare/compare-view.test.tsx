import { screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { makeJob } from '../../testing/fixtures'
import { router } from '../../testing/navigation'
import { answerWith, clickButton, renderUi } from '../../testing/render'
import { CompareView } from './compare-view'

vi.mock('next/navigation', () => import('../../testing/navigation'))
// The charts need a canvas.
vi.mock('../metrics/metrics-view', () => ({ MetricsView: () => null }))

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
    ['loss', '0.5', '0.25'],
    ['step', '9', '–'],
    ['acc', '–', '1'],
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
