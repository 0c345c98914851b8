import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { CreatedResultShare, ResultRow, ResultShare, Results } from '@/lib/project-results/contract'
import { makeProject } from '../testing/fixtures'
import { answerWith, clickButton, openByKeyboard, renderUi, sentRequests } from '../testing/render'
import { ResultsPanel } from './results-panel'

vi.mock('next/navigation', () => import('../testing/navigation'))

const at = '2026-11-22T10:00:00.000Z'
const idOf = (number: number) => `01920000-0000-7000-8000-${String(number).padStart(12, '0')}`

const rowOf = (number: number, changes: Partial<ResultRow> = {}): ResultRow => ({
  job_id: idOf(number),
  name: `job ${number}`,
  status: 'completed',
  user_id: 'ada',
  user_name: null,
  tags: [],
  created_at: new Date(Date.parse(at) - number * 60_000).toISOString(),
  started_at: at,
  completed_at: '2026-11-22T10:01:30.000Z',
  metrics: {},
  group: null,
  pictures: [],
  ...changes,
})

const someRows = [
  rowOf(1, { metrics: { loss: 0.5, accuracy: 0.7 }, group: '0.1' }),
  rowOf(2, { metrics: { loss: 0.3 }, group: '0.1' }),
  rowOf(3, { metrics: { loss: 0.1, accuracy: 0.9 }, group: '0.2', user_id: 'bob' }),
  rowOf(4, { status: 'failed' }),
]

let results: Results
beforeEach(() => {
  results = {
    rows: someRows,
    more: false,
    metrics: ['accuracy', 'loss'],
    metric_names: ['accuracy', 'loss', 'step'],
    group_keys: ['tag.lr', 'config.gpu_count'],
  }
})

async function show(address = '/projects/p1', changes: Partial<Results> = {}): Promise<void> {
  window.history.replaceState(null, '', address)
  answerWith({ 'GET /api/projects/p1/results': { ...results, ...changes }, 'GET /api/result-shares': [] })
  renderUi(<ResultsPanel project={makeProject()} handle="ada" everyone />)
  await screen.findByRole('heading', { name: 'Results' })
}
const table = (name = 'Results') => screen.findByRole('table', { name })
async function rowTexts(name = 'Results'): Promise<string[]> {
  const rows = within(await table(name))
    .getAllByRole('row')
    .slice(1)
  return rows.map((row) => row.textContent ?? '')
}
const titles = async () => (await rowTexts()).map((text) => /job \d/.exec(text)?.[0])
const marked = (element: HTMLElement) =>
  within(element)
    .getAllByText('best')
    .map((mark) => mark.closest('td')?.textContent)

describe('the table of results', () => {
  it('shows each job with the last values, and marks the best of each metric', async () => {
    await show()
    expect(await titles()).toEqual(['job 1', 'job 2', 'job 3', 'job 4'])
    const link = screen.getByRole('link', { name: 'job 1' })
    expect(link.getAttribute('href')).toBe(`/jobs/${idOf(1)}`)
    expect(marked(await table())).toEqual(['accuracybest0.9', 'lossbest0.1'])
    expect(screen.getByRole('row', { name: /job 4/ }).textContent).toMatch(/Failed.*–.*–/)
    expect(screen.queryByRole('table', { name: /Groups/ })).toBeNull()
  })

  it('marks the other end where the user chooses it, and keeps that in the address', async () => {
    await show()
    await table()
    openByKeyboard(screen.getByRole('button', { name: 'Best' }))
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'loss' }))
    await waitFor(async () => expect(marked(await table())).toEqual(['lossbest0.5', 'accuracybest0.9']))
    expect(window.location.search).toBe('?highest=loss')
  })

  it('marks no value of a counter', async () => {
    const rows = [rowOf(1, { metrics: { step: 10 } }), rowOf(2, { metrics: { step: 20 } })]
    await show('/projects/p1?metrics=step&group=tag.lr', { rows, metrics: ['step'] })
    await table('Groups by Tag lr')
    expect(screen.queryByText('best')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Best' })).toBeNull()
  })

  it('sorts by a metric, with jobs without a value at the end', async () => {
    await show()
    await table()
    clickButton('loss')
    await waitFor(async () => expect(await titles()).toEqual(['job 1', 'job 2', 'job 3', 'job 4']))
    clickButton('loss')
    await waitFor(async () => expect(await titles()).toEqual(['job 3', 'job 2', 'job 1', 'job 4']))
    expect(window.location.search).toBe('?order=metric.loss')
  })

  it('asks for the metrics, the group, the search and the pictures of the address', async () => {
    await show('/projects/p1?metrics=loss%2Ca%252Cb&group=tag.lr&find=tag:x&columns=pictures')
    await table()
    const { query } = sentRequests.find(({ path }) => path.endsWith('/results')) ?? {}
    expect(Object.fromEntries(query ?? [])).toEqual({
      metrics: 'loss,a%2Cb',
      group_by: 'tag.lr',
      q: 'tag:x',
      pictures: 'true',
    })
  })

  it('shows 50 jobs on a page', async () => {
    const rows = Array.from({ length: 120 }, (_, number) => rowOf(number))
    await show('/projects/p1?rows=2&metrics=loss', { rows })
    expect(await rowTexts()).toHaveLength(50)
    const next = screen.getByRole('link', { name: 'Next' })
    expect(next.getAttribute('href')).toBe('?rows=3&metrics=loss')
  })

  it('shows pictures of a job, and opens one in full size', async () => {
    const pictures = [{ artifact_id: 'a1', path: 'plot.png' }]
    await show('/projects/p1?columns=pictures', { rows: [rowOf(1, { pictures })] })
    fireEvent.click(await screen.findByRole('button', { name: 'Open plot.png' }))
    const dialog = await screen.findByRole('dialog', { name: 'plot.png' })
    expect(within(dialog).getByRole('img', { name: 'plot.png' }).getAttribute('src')).toMatch(
      `/api/jobs/${idOf(1)}/artifacts/a1?as=image`,
    )
  })
})

describe('the groups of results', () => {
  it('have number, mean and spread, and the best mean is marked', async () => {
    await show('/projects/p1?group=tag.lr')
    const groups = await table('Groups by Tag lr')
    expect(await rowTexts('Groups by Tag lr')).toEqual([
      '0.1Jobs2accuracy0.7n = 1loss0.4 (0.3 to 0.5)',
      '0.2Jobs1accuracybest0.9lossbest0.1',
      'no valueJobs1accuracy–loss–',
    ])
    expect(marked(groups)).toEqual(['accuracybest0.9', 'lossbest0.1'])
  })

  it('are chosen from what differs between the jobs', async () => {
    await show()
    await table()
    openByKeyboard(screen.getByRole('combobox', { name: 'Group the jobs' }))
    fireEvent.keyDown(await screen.findByRole('option', { name: 'By Tag lr' }), { key: 'Enter' })
    await waitFor(() => expect(window.location.search).toBe('?group=tag.lr'))
    expect(await table('Groups by Tag lr')).toBeTruthy()
  })
})

describe('results with little to see', () => {
  it('say what to do without jobs', async () => {
    await show('/projects/p1', { rows: [], metrics: [], metric_names: [], group_keys: [] })
    expect((await screen.findByText(/Submit a job with/)).textContent).toMatch(
      /project_id: shared in its config\. Print a line of JSON with numbers/,
    )
    expect(screen.getByRole('link', { name: 'Submit a job' })).toBeTruthy()
  })

  it('say what to do without metrics, and without groups', async () => {
    const rows = [rowOf(1), rowOf(2)]
    await show('/projects/p1', { rows, metrics: [], metric_names: [], group_keys: [] })
    expect(await screen.findByText(/These jobs printed no metrics/)).toBeTruthy()
    expect(screen.getByText(/give them tags such as lr=0\.1/)).toBeTruthy()
  })

  it('say that there are older jobs', async () => {
    await show('/projects/p1', { more: true })
    expect(await screen.findByText(/Only the newest 300 jobs are shown\. Search/)).toBeTruthy()
  })

  it('keep the search that no job matches', async () => {
    await show('/projects/p1?find=nothing', { rows: [], metrics: [], metric_names: [] })
    expect(await screen.findByText('No job matches the search.')).toBeTruthy()
    expect(screen.getByRole('combobox', { name: 'Search jobs' })).toHaveProperty('value', 'nothing')
  })
})

describe('the link to results', () => {
  const stored: ResultShare = {
    id: idOf(99),
    project_id: 'shared',
    title: null,
    jobs: 1,
    columns: ['name'],
    metrics: ['loss'],
    group_by: null,
    created_at: at,
    expires_at: '2026-11-29T10:00:00.000Z',
  }
  const created: CreatedResultShare = { ...stored, url: 'http://gpuq.test/shared/results/a-secret' }
  const server = () => {
    let shares: ResultShare[] = []
    answerWith({
      'GET /api/result-shares': () => shares,
      'POST /api/projects/p1/results/shares': () => {
        shares = [stored]
        return created
      },
      [`DELETE /api/result-shares/${stored.id}`]: () => {
        shares = []
        return null
      },
    })
  }

  it('has only own jobs that were chosen, and the chosen columns, and can be revoked', async () => {
    await show('/projects/p1?group=tag.lr')
    server()
    await table()
    expect(screen.queryByRole('checkbox', { name: 'Select job 3' })).toBeNull()
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select job 1' }))
    clickButton('Share read-only…')
    const dialog = await screen.findByRole('dialog', { name: 'Share results read-only' })
    for (const name of ['Status', 'Submitted', 'accuracy'])
      fireEvent.click(within(dialog).getByRole('checkbox', { name }))
    clickButton('Create link')
    expect(await screen.findByText(created.url)).toBeTruthy()
    expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({
      job_ids: [idOf(1)],
      columns: ['name'],
      metrics: ['loss'],
      group_by: 'tag.lr',
      expires_in_days: 7,
    })
    expect(await screen.findByText(/1 job of shared, until/)).toBeTruthy()
    clickButton('Revoke the link to 1 job of shared')
    expect(await within(dialog).findByText(/^None\./)).toBeTruthy()
    await waitFor(() => expect(screen.queryByText(created.url)).toBeNull())
  })

  it('needs a choice of jobs and of columns', async () => {
    await show('/projects/p1')
    server()
    await table()
    clickButton('Share read-only…')
    expect(await screen.findByText('No jobs chosen')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Create link' })).toBeNull()
    clickButton('Close')
    clickButton('Select my jobs')
    clickButton('Share read-only…')
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).getByText(/It shows 3 jobs\./)).toBeTruthy()
    for (const box of within(dialog).getAllByRole('checkbox')) fireEvent.click(box)
    clickButton('Create link')
    expect((await screen.findByRole('alert')).textContent).toBe('Choose at least one column.')
    expect(sentRequests.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('offers no values of environment variables', async () => {
    await show('/projects/p1?group=config.env.LR')
    server()
    await table()
    clickButton('Select my jobs')
    clickButton('Share read-only…')
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).queryByRole('checkbox', { name: 'Config env.LR' })).toBeNull()
    expect(within(dialog).getByText(/they may be secrets/)).toBeTruthy()
    clickButton('Create link')
    await waitFor(() =>
      expect(sentRequests.find(({ method }) => method === 'POST')?.body).toMatchObject({ group_by: null }),
    )
  })
})
