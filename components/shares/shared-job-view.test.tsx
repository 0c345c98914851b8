import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { JobMetrics } from '@/lib/metrics/contract'
import type { SharedFacts } from '@/lib/shares/contract'
import { answerWith, FakeEventSource, renderUi, type SentRequest, sentRequests } from '../testing/render'
import type { SharedPartsProps } from './parts-view'
import { SharedJobView } from './shared-job-view'

vi.mock('next/navigation', () => import('../testing/navigation'))
// A chart needs a canvas.
vi.mock('../metrics/use-metric-plot', () => ({ useMetricPlot: () => ({ current: null }) }))

const token = 'a-secret-token'
const api = `/api/shared/${token}`
const all = { output: true, metrics: true, files: true }
const facts: SharedFacts = {
  name: 'ResNet',
  owner: 'Ada',
  competition_id: 'mnist',
  project_id: 'vision',
  environment: 'python',
  status: 'completed',
  reason_text: null,
  exit_code: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:00.000Z',
  completed_at: '2026-01-01T01:00:00.000Z',
  files_deleted: null,
  gpus: [],
}
const running: SharedFacts = { ...facts, status: 'running', exit_code: null, completed_at: null }

const artifact = (id: string, path: string) => ({
  artifact_id: id,
  rank: 0,
  path,
  bytes: 2048,
  sha256: '',
  stored_at: '2026-01-01T01:00:00.000Z',
})

function metricsOf({ query }: SentRequest): JobMetrics {
  const names = query.get('names')?.split(',') ?? []
  return {
    attempt: 1,
    rank: 0,
    x: 'step',
    axes: ['step', 'line', 'time'],
    lines: 2,
    names: ['loss'],
    name_count: 1,
    complete: true,
    progress: 1,
    approximate: false,
    series: names.map((name) => ({ name, count: 2, not_finite: 0, last: 0.5, x: [1, 2], y: [2, 0.5] })),
  }
}

beforeEach(() => {
  answerWith({
    [`GET ${api}/metrics`]: metricsOf,
    [`GET ${api}/artifacts`]: { artifacts: [artifact('f1', 'note.md'), artifact('f2', 'plot.png')] },
    [`GET ${api}/artifacts/f1/preview`]: { kind: 'text', text: '# All went well', truncated: false },
  })
})

function open(job: SharedFacts, shows: SharedPartsProps['shows']) {
  const stored = { output: 'hello\n', outputCut: false, results: [], source: null }
  renderUi(
    <SharedJobView
      job={{ ...job, ...stored, shows, expiresAt: '2026-01-08T00:00:00.000Z' }}
      token={token}
      outputHref={`${api}/output`}
      eventsHref={`${api}/events`}
    />,
  )
}

it('shows curves and files of an ended job, read with the token, and nothing that changes it', async () => {
  open(facts, all)
  const metrics = await screen.findByRole('region', { name: 'Metrics' })
  await within(metrics).findByRole('slider', { name: 'loss over step, 2 values' })
  const files = screen.getByRole('region', { name: 'Files' })
  await within(files).findByText('2 files')
  expect(files.textContent).toContain('note.md2.0 KiB')
  fireEvent.click(within(files).getByRole('button', { name: 'note.md' }))
  await within(files).findByRole('heading', { name: 'All went well' })
  const addresses = within(files)
    .getAllByRole('link')
    .map((link) => link.getAttribute('href'))
  expect(addresses).toEqual([`${api}/artifacts.tar`, `${api}/artifacts/f1`, `${api}/artifacts/f2`])
  fireEvent.click(within(files).getByRole('radio', { name: '1 image' }))
  const picture = await within(files).findByRole('img', { name: 'plot.png' })
  expect(picture.getAttribute('src')).toMatch(`${api}/artifacts/f2?as=image`)
  expect(screen.queryByRole('button', { name: /Copy link/ })).toBeNull()
  expect([...new Set(sentRequests.map(({ method, path }) => `${method} ${path.split('/')[2]}`))]).toEqual([
    'GET shared',
  ])
})

it('shows only the facts if only they were chosen, and asks for nothing', async () => {
  open(facts, { output: false, metrics: false, files: false })
  await screen.findByText('Completed')
  for (const name of ['Metrics', 'Files', 'Output of the job'])
    expect(screen.queryByRole('region', { name })).toBeNull()
  expect(screen.queryByText('hello')).toBeNull()
  expect(sentRequests).toEqual([])
})

it('follows a running job: its curves go on, and its files appear at its end', async () => {
  let ended = false
  answerWith({
    [`GET ${api}/artifacts`]: () => ({ artifacts: ended ? [artifact('f1', 'model.bin')] : [] }),
  })
  open(running, { ...all, output: false })
  const files = await screen.findByRole('region', { name: 'Files' })
  await within(files).findByText('No files yet')
  // Advice for the author of the program.
  expect(within(files).queryByRole('link')).toBeNull()
  await screen.findByRole('slider', { name: 'loss over step, 2 values' })
  expect(screen.queryByRole('region', { name: 'Output' })).toBeNull()
  ended = true
  act(() => FakeEventSource.latest?.emit('job', JSON.stringify(facts)))
  await within(files).findByText('model.bin')
})

it('says in words that the job printed no numbers', async () => {
  answerWith({
    [`GET ${api}/metrics`]: (sent: SentRequest) => ({ ...metricsOf(sent), names: [], name_count: 0 }),
  })
  open(running, { output: false, metrics: true, files: false })
  const metrics = await screen.findByRole('region', { name: 'Metrics' })
  await within(metrics).findByText('Numbers that the job prints in lines of JSON appear here.')
  act(() => FakeEventSource.latest?.emit('job', JSON.stringify(facts)))
  await waitFor(() => expect(metrics.textContent).toContain('The job printed no numbers in lines of JSON.'))
})
