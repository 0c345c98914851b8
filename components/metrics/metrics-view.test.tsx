import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { JobMetrics } from '@/lib/metrics/contract'
import {
  answerWith,
  clickButton,
  openByKeyboard,
  renderUi,
  type SentRequest,
  sentRequests,
} from '../testing/render'
import { type ChartSettings, readChartSettings, withChartSettings } from './chart-settings'
import { type MetricsJob, MetricsView } from './metrics-view'

vi.mock('next/navigation', () => import('../testing/navigation'))
const drawn = vi.hoisted(() => vi.fn())
// A chart needs a canvas.
vi.mock('./use-metric-plot', () => ({
  useMetricPlot: (_host: unknown, _lines: unknown, settings: unknown) => {
    drawn(settings)
    // 90 pixels from step 0 to step 9.
    const over = { getBoundingClientRect: () => ({ left: 100, width: 90 }) }
    return { current: { over, posToVal: (left: number) => left / 10 } }
  },
}))

const first: ChartSettings = {
  search: '',
  x: null,
  smoothing: 0,
  logarithmic: false,
  ignoreOutliers: false,
  zoom: null,
}
const jobs: MetricsJob[] = [{ id: '01931111-0000-7000-8000-00000000000a', label: 'a', index: 0, live: false }]

function metricsOf({ query }: SentRequest): JobMetrics {
  const names = ['loss', 'step'].filter((name) => name.includes(query.get('search') ?? ''))
  return {
    attempt: 1,
    rank: 0,
    x: query.get('x') ?? 'step',
    lines: 2,
    complete: true,
    approximate: false,
    progress: 1,
    axes: ['step', 'epoch', 'line', 'time'],
    names,
    name_count: names.length,
    series: query
      .getAll('names')
      .flatMap((text) => text.split(','))
      .map((name) => ({ name, count: 2, not_finite: 0, last: 1, x: [0, 9], y: [2, 1] })),
  }
}

beforeEach(() => {
  window.history.replaceState(null, '', '/jobs/a')
  answerWith({ [`GET /api/jobs/${jobs[0]?.id}/metrics`]: metricsOf })
})

it('an address has the settings that differ from the first ones, and keeps the rest', () => {
  const settings: ChartSettings = {
    search: 'val loss',
    x: 'epoch',
    smoothing: 0.9,
    logarithmic: true,
    ignoreOutliers: true,
    zoom: { from: -1.5, to: 1 / 3 },
  }
  const address = withChartSettings(new URLSearchParams('tab=metrics'), settings)
  expect(String(address)).toBe(
    'tab=metrics&metric=val+loss&x=epoch&smoothing=0.9&log=1&outliers=0&zoom=-1.5..0.33333333',
  )
  expect(readChartSettings(address)).toEqual({ ...settings, zoom: { from: -1.5, to: 0.33333333 } })
  expect(String(withChartSettings(address, first))).toBe('tab=metrics')
})

it('what an address says wrongly is ignored', () => {
  for (const text of ['smoothing=-1&log=yes&zoom=5..1', 'smoothing=x&zoom=1', 'zoom=..', 'zoom=1..2..3&x='])
    expect(readChartSettings(new URLSearchParams(text))).toEqual(first)
  expect(readChartSettings(new URLSearchParams('smoothing=7')).smoothing).toBe(0.99)
})

it('opens with the settings of the address, and the address follows them', async () => {
  window.history.replaceState(null, '', '/jobs/a?tab=metrics&x=epoch&smoothing=0.5&zoom=2..6')
  renderUi(<MetricsView jobs={jobs} />)
  await screen.findByRole('slider', { name: 'loss over epoch, 2 values' })
  expect(sentRequests.at(-1)?.query.get('from')).toBe('2')
  expect(drawn).toHaveBeenLastCalledWith(
    expect.objectContaining({ smoothing: 0.5, range: { from: 2, to: 6 } }),
  )

  for (const value of ['0.6', '0.7', '0.8'])
    fireEvent.change(screen.getByLabelText('Smoothing'), { target: { value } })
  fireEvent.click(screen.getByRole('switch', { name: 'Ignore outliers' }))
  clickButton('Reset zoom')
  await waitFor(() => expect(window.location.search).toBe('?tab=metrics&x=epoch&smoothing=0.8&outliers=0'))
  expect(drawn).toHaveBeenLastCalledWith(expect.objectContaining({ ignoreOutliers: true, range: null }))

  // As after a job is added to a comparison.
  window.history.pushState(null, '', '/jobs/a?ids=a,b')
  await waitFor(() => expect(window.location.search).toBe('?ids=a%2Cb&x=epoch&smoothing=0.8&outliers=0'))
})

it('a chart is enlarged to the width of the page', async () => {
  renderUi(<MetricsView jobs={jobs} />)
  const enlarge = await screen.findByRole('button', { name: 'Enlarge loss' })
  expect(enlarge.getAttribute('aria-pressed')).toBe('false')
  fireEvent.click(enlarge)
  expect(enlarge.getAttribute('aria-pressed')).toBe('true')
  expect(enlarge.closest('li')?.className).toContain('col-span-full')
})

it('a job without metrics says how to print them', async () => {
  answerWith({
    [`GET /api/jobs/${jobs[0]?.id}/metrics`]: (sent: SentRequest) => ({
      ...metricsOf(sent),
      lines: 0,
      names: [],
      name_count: 0,
      series: [],
    }),
  })
  renderUi(<MetricsView jobs={jobs} />)
  await screen.findByText('No metrics')
  expect(screen.getByText(/print\(json\.dumps\(/)).toBeTruthy()
})

it('names the jobs of the lines, and reads a whole step at the cursor', async () => {
  const two: MetricsJob[] = [
    { id: '01931111-0000-7000-8000-00000000000a', label: 'small model', index: 0, live: false },
    { id: '01931111-0000-7000-8000-00000000000b', label: 'large model', index: 1, live: false },
  ]
  answerWith({ [`GET /api/jobs/${two[1]?.id}/metrics`]: metricsOf })
  drawn.mockClear()
  renderUi(<MetricsView jobs={two} />)
  const loss = (await screen.findByRole('slider', { name: /^loss over step/ })).closest('li')
  await waitFor(() => expect(loss?.textContent).toContain('small model'))
  expect(loss?.textContent).toContain('large model')
  expect(loss?.querySelector('.sr-only')).toBeNull()
  fireEvent.pointerMove(screen.getByRole('slider', { name: /^loss over step/ }), { clientX: 145 })
  expect(loss?.textContent).toContain('step 5')
  expect(loss?.textContent).not.toContain('4.5')
})

const chartOf = (name: string) => screen.getByRole('slider', { name: new RegExp(`^${name} over epoch`) })
const readAll = () => ['loss', 'step'].map((name) => chartOf(name).getAttribute('aria-valuetext'))

/** Two charts, which show their last values. */
async function showTwoCharts(): Promise<void> {
  window.history.replaceState(null, '', '/jobs/a?x=epoch')
  renderUi(<MetricsView jobs={jobs} />)
  await screen.findByRole('slider', { name: 'step over epoch, 2 values' })
  expect(readAll()).toEqual(['epoch 9: 1', 'epoch 9: 1'])
}

it('the pointer moves the place in all charts, which renders only the values', async () => {
  await showTwoCharts()
  drawn.mockClear()
  fireEvent.pointerMove(chartOf('step'), { clientX: 112, pointerType: 'mouse' })
  expect(readAll()).toEqual(['epoch 1: 2', 'epoch 1: 2'])
  expect(chartOf('loss').closest('li')?.textContent).toContain('epoch 1')
  fireEvent.pointerMove(chartOf('loss'), { clientX: 131, pointerType: 'mouse' })
  expect(readAll()).toEqual(['epoch 3: 2', 'epoch 3: 2'])
  // Beside the axis, and outside of the chart.
  fireEvent.pointerMove(chartOf('loss'), { clientX: 90, pointerType: 'mouse' })
  expect(readAll()).toEqual(['epoch 9: 1', 'epoch 9: 1'])
  fireEvent.pointerMove(chartOf('loss'), { clientX: 131, pointerType: 'mouse' })
  fireEvent.pointerLeave(chartOf('loss'), { pointerType: 'mouse' })
  expect(readAll()).toEqual(['epoch 9: 1', 'epoch 9: 1'])
  // Each rendering of a panel draws its chart.
  expect(drawn).not.toHaveBeenCalled()
})

it('arrow keys move the place in all charts, and Escape or leaving them ends it', async () => {
  await showTwoCharts()
  chartOf('loss').focus()
  fireEvent.keyDown(chartOf('loss'), { key: 'Home' })
  fireEvent.keyDown(chartOf('loss'), { key: 'ArrowRight' })
  expect(readAll()).toEqual(['epoch 1: 2', 'epoch 1: 2'])
  act(() => chartOf('step').focus())
  expect(readAll()).toEqual(['epoch 1: 2', 'epoch 1: 2'])
  expect(fireEvent.keyDown(chartOf('step'), { key: 'Escape' })).toBe(false)
  expect(readAll()).toEqual(['epoch 9: 1', 'epoch 9: 1'])
  // A second Escape is not the chart's.
  expect(fireEvent.keyDown(chartOf('step'), { key: 'Escape' })).toBe(true)
  fireEvent.keyDown(chartOf('step'), { key: 'Home' })
  expect(readAll()).toEqual(['epoch 0: 2', 'epoch 0: 2'])
  act(() => screen.getByRole('searchbox').focus())
  expect(readAll()).toEqual(['epoch 9: 1', 'epoch 9: 1'])
})

it('a finger moves the place, which stays until it touches something else or scrolls', async () => {
  await showTwoCharts()
  const touch = { pointerType: 'touch' }
  const drag = () => {
    fireEvent.pointerDown(chartOf('loss'), { clientX: 100, ...touch })
    fireEvent.pointerMove(chartOf('loss'), { clientX: 120, ...touch })
    fireEvent.pointerUp(chartOf('loss'), { clientX: 120, ...touch })
    fireEvent.pointerLeave(chartOf('loss'), touch)
    expect(readAll()).toEqual(['epoch 2: 2', 'epoch 2: 2'])
  }
  drag()
  fireEvent.pointerDown(screen.getByRole('searchbox'), touch)
  expect(readAll()).toEqual(['epoch 9: 1', 'epoch 9: 1'])
  drag()
  fireEvent.pointerCancel(chartOf('step'), touch)
  expect(readAll()).toEqual(['epoch 9: 1', 'epoch 9: 1'])
})

it('draws the mean of each group with its name and number of jobs, and offers the values of each job', async () => {
  const three = ['a', 'b', 'c'].map(
    (letter, index): MetricsJob => ({
      id: `01931111-0000-7000-8000-00000000000${letter}`,
      label: `job ${letter}`,
      index,
      live: false,
    }),
  )
  for (const [nth, { id }] of three.entries()) {
    answerWith({
      [`GET /api/jobs/${id}/metrics`]: (sent: SentRequest) => {
        const answer = metricsOf(sent)
        const series = answer.series.map((own) => ({ ...own, last: 1 + nth, y: [2 + nth, 1 + nth] }))
        return { ...answer, series }
      },
    })
  }
  const [a, b, c] = three.map(({ id }) => id)
  const groups = [
    { id: 'x', label: 'lr=0.1', index: 0, jobs: [a ?? '', b ?? '', c ?? ''] },
    { id: 'y', label: 'lr=0.2', index: 1, jobs: [] },
  ]
  renderUi(<MetricsView jobs={three} groups={groups} />)
  const chart = await screen.findByRole('slider', { name: 'loss over step, 6 values' })
  expect(chart.getAttribute('aria-valuetext')).toBe('step 9: lr=0.1 2 ± 1')
  expect(chart.closest('li')?.textContent).toContain('lr=0.1n = 32 ± 1')
  fireEvent.pointerMove(chart, { clientX: 100, pointerType: 'mouse' })
  expect(chart.getAttribute('aria-valuetext')).toBe('step 0: lr=0.1 3 ± 1')
  openByKeyboard(screen.getByRole('button', { name: 'Export loss' }))
  expect((await screen.findAllByRole('menuitem')).slice(1).map(({ textContent }) => textContent)).toEqual([
    'CSV of job a',
    'CSV of job b',
    'CSV of job c',
  ])
})
