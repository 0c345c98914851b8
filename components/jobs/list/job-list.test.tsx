import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { addedFields, columnLabel, jobColumnNames } from '@/lib/contract/job-columns'
import type { JobSummary } from '@/lib/contract/jobs'
import type { SavedView } from '@/lib/views/contract'
import { makeJob, makeJobSummary } from '../../testing/fixtures'
import { router } from '../../testing/navigation'
import {
  ApiProblem,
  answerWith,
  clickButton,
  openByKeyboard,
  renderUi,
  type SentRequest,
  sentRequests,
  typeInto,
} from '../../testing/render'
import { Pagination } from '../../ui/pagination'
import { defaultColumns } from './columns'
import { formatMetric, gpuHours } from './job-cell'
import { JobList } from './job-list'
import { JobTable } from './job-table'

vi.mock('next/navigation', () => import('../../testing/navigation'))

const failed = makeJobSummary({
  job_id: 'job-00000002',
  name: null,
  status: 'failed',
  reason: 'exit_code',
  exit_code: 2,
})
const waiting = makeJobSummary({
  job_id: 'job-00000003',
  name: 'waiting one',
  status: 'pending',
  reason: 'no_free_gpu',
  started_at: null,
  completed_at: null,
})

function renderTable(jobs: JobSummary[], everyone = false) {
  renderUi(
    <JobTable
      jobs={jobs}
      columns={defaultColumns(everyone)}
      density="comfortable"
      sort={null}
      onSort={() => {}}
      selected={new Set()}
      onSelect={() => {}}
    />,
  )
  return screen.getAllByRole('row').slice(1)
}

async function renderList(jobs: JobSummary[], search = '') {
  window.history.replaceState(null, '', `/jobs${search}`)
  answerWith({ 'GET /api/jobs': jobs, 'GET /api/jobs/suggestions': [] })
  renderUi(<JobList />)
  if (jobs.length > 0) await screen.findAllByRole('row')
}

const box = () => screen.getByRole('combobox', { name: 'Search jobs' })
const option = (name: RegExp) => screen.findByRole('option', { name })

it('shows each job with its status, reason and run time', () => {
  const [first, second] = renderTable([makeJobSummary(), failed])
  expect(first?.textContent).toContain('Completed')
  expect(first?.textContent).toContain('5 min 03 s')
  expect(second?.textContent).toContain('Failedexit 2')
  expect(screen.getByRole('link', { name: '00000002' }).getAttribute('href')).toBe('/jobs/job-00000002')
  expect(screen.queryByRole('columnheader', { name: 'User' })).toBeNull()
})

it('names the node and the user of each job', () => {
  const ada = makeJobSummary({ user_name: 'Ada Lovelace', node_name: 'vm' })
  const grace = makeJobSummary({ job_id: 'job-00000002', user_id: 'grace', node_name: null })
  const [first, second] = renderTable([ada, grace], true)
  expect(first?.textContent).toContain('Ada Lovelace (ada)')
  expect(first?.textContent).toContain('vm')
  expect(second?.textContent).toContain('grace')
})

it('shows each column of the job list', async () => {
  const added = addedFields.map(({ field, kind }) => [field, kind === 'number' ? 7 : 'a text'])
  const job = makeJobSummary({ ...Object.fromEntries(added), tags: ['v2'] })
  await renderList([job], `?columns=${jobColumnNames.join()}`)
  const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent ?? '')
  const [, ...cells] = within(screen.getAllByRole('row')[1] as HTMLElement).getAllByRole('cell')
  for (const [at, name] of jobColumnNames.entries()) {
    expect(headers[at + 1], name).toContain(columnLabel(name))
    expect(cells[at]?.textContent, name).toMatch(/[^–]/)
  }
  expect(cells[jobColumnNames.indexOf('priority')]?.textContent).toContain('7')
})

it('shows how to submit the first job', async () => {
  await renderList([])
  await screen.findByText('No jobs yet')
  expect(screen.getByRole('link', { name: 'Submit a job' }).getAttribute('href')).toBe('/submit')
  expect(screen.getByRole('region', { name: 'curl command' }).textContent).toContain(
    `${location.origin}/api/submit`,
  )
})

it('searches in the address, and clears the search', async () => {
  await renderList([])
  fireEvent.click(await screen.findByRole('radio', { name: 'Failed' }))
  expect(location.search).toBe('?q=status%3Afailed')
  await screen.findByText('No matching jobs')
  typeInto('Search jobs', 'status:failed competition:cifar10')
  await waitFor(() => expect(location.search).toBe('?q=status%3Afailed+competition%3Acifar10'))
  clickButton('Only jobs with a star')
  expect(location.search).toBe('?q=status%3Afailed+competition%3Acifar10+is%3Astarred')
  clickButton('Clear')
  expect(location.search).toBe('')
  await screen.findByText('No jobs yet')
})

it('a search that finds nothing says which of its words is no key', async () => {
  await renderList([], '?q=foo%3Abar')
  await screen.findByText(/^There is no key “foo”, so it was searched as text\./)
})

it('shows the filters of an earlier address as a search', async () => {
  await renderList([], '?status=failed&tag=the+best&starred=true')
  await screen.findByText('No matching jobs')
  expect((box() as HTMLInputElement).value).toBe('status:failed tag:"the best" is:starred')
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Failed' }).checked).toBe(true)
  clickButton('Only jobs with a star')
  expect(location.search).toBe('?q=status%3Afailed+tag%3A%22the+best%22')
})

it('says what is wrong with a search, and keeps the list', async () => {
  await renderList([makeJobSummary()])
  typeInto('Search jobs', 'stauts:failed')
  await screen.findByText(/Character 1: there is no key “stauts”. Did you mean “status”\?/)
  expect(box().getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByRole('link', { name: 'baseline' })).toBeTruthy()
  expect(location.search).toBe('')
})

it('says what is wrong with the search of an address, and does not send it', async () => {
  await renderList([], '?q=tag%3A%22open')
  await screen.findByText('The search has a mistake')
  expect(screen.getByText(/Character 5: this quote is not closed/)).toBeTruthy()
  expect(sentRequests.some(({ path }) => path === '/api/jobs')).toBe(false)
})

it('completes keys and values by keyboard', async () => {
  await renderList([makeJobSummary()])
  answerWith({ 'GET /api/jobs/suggestions': ['the best', 'v2'] })
  box().focus()
  typeInto('Search jobs', 'ta')
  expect((await option(/tag:/)).getAttribute('aria-selected')).toBe('false')
  fireEvent.keyDown(box(), { key: 'ArrowDown' })
  fireEvent.keyDown(box(), { key: 'Enter' })
  await option(/the best/)
  fireEvent.keyDown(box(), { key: 'ArrowDown' })
  expect(box().getAttribute('aria-activedescendant')).toBe((await option(/the best/)).id)
  fireEvent.keyDown(box(), { key: 'Enter' })
  expect((box() as HTMLInputElement).value).toBe('tag:"the best" ')
  await waitFor(() => expect(location.search).toBe('?q=tag%3A%22the+best%22'))
  fireEvent.keyDown(box(), { key: 'Escape' })
  expect(screen.queryByRole('option')).toBeNull()
})

it('sorts by a column, and says which jobs that lists', async () => {
  await renderList([makeJobSummary()])
  const header = () => screen.getByRole('columnheader', { name: /Run time/ })
  fireEvent.click(within(header()).getByRole('button'))
  expect(location.search).toBe('?sort=-run_time')
  await waitFor(() => expect(header().getAttribute('aria-sort')).toBe('descending'))
  expect(screen.getByText(/Sorted by Run time/)).toBeTruthy()
  fireEvent.click(within(header()).getByRole('button'))
  expect(location.search).toBe('?sort=run_time')
  fireEvent.click(within(header()).getByRole('button'))
  expect(location.search).toBe('')
})

it('lists active jobs first unless another order is chosen', async () => {
  await renderList([makeJobSummary()])
  const sorts = () =>
    sentRequests.flatMap(({ path, query }) => (path === '/api/jobs' ? [query.get('sort')] : []))
  expect(new Set(sorts())).toEqual(new Set(['active']))
  openByKeyboard(screen.getByRole('button', { name: 'View' }))
  const chosen = await screen.findByRole('menuitemradio', { name: 'Active first' })
  expect(chosen.getAttribute('aria-checked')).toBe('true')
  fireEvent.click(screen.getByRole('menuitemradio', { name: 'Newest first' }))
  expect(location.search).toBe('?sort=-submitted')
  await waitFor(() => expect(sorts()).toContain('-submitted'))
})

/** The first page of a longer list. */
const firstPageOf = (jobs: JobSummary[]) => () =>
  Response.json(jobs, { headers: { link: '</api/jobs?cursor=c2>; rel="next"' } })

it('says how many jobs a search has', async () => {
  await renderList([makeJobSummary(), failed])
  expect(await screen.findByText('2 jobs')).toBeTruthy()
  expect(sentRequests.some(({ path }) => path === '/api/jobs/count')).toBe(false)
  answerWith({
    'GET /api/jobs': firstPageOf([failed]),
    'GET /api/jobs/count': ({ query }: SentRequest) =>
      query.get('q') === 'status:failed' ? { jobs: 37, more: false } : { jobs: 1000, more: true },
  })
  fireEvent.click(screen.getByRole('radio', { name: 'Failed' }))
  await screen.findByText('37 jobs')
  fireEvent.click(screen.getByRole('radio', { name: 'All' }))
  await screen.findByText('1,000+ jobs')
})

it('selects all jobs that match the search, also on other pages', async () => {
  const page = [waiting, failed]
  const others = Array.from({ length: 35 }, (_, nth) =>
    makeJobSummary({ ...waiting, job_id: `other-${nth}`, name: `other ${nth}` }),
  )
  await renderList([makeJobSummary()], '?q=tag:sweep')
  answerWith({
    'GET /api/jobs': ({ query }: SentRequest) =>
      query.get('limit') === '200' ? [...page, ...others] : firstPageOf(page)(),
    'GET /api/jobs/count': { jobs: 37, more: false },
    ...Object.fromEntries(
      [waiting, ...others].map(({ job_id }) => [`POST /api/cancel/${job_id}`, makeJob()]),
    ),
  })
  fireEvent.click(screen.getByRole('radio', { name: 'Pending' }))
  await screen.findByText('37 jobs')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select waiting one' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Select this page (2)' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Select all 37 matching' }))
  await screen.findByText('37 selected')
  expect(
    sentRequests
      .find(({ path, query }) => path === '/api/jobs' && query.get('limit') === '200')
      ?.query.get('q'),
  ).toBe('tag:sweep status:pending')
  clickButton('Cancel')
  await screen.findByText(/35 of the selected jobs are not on this page/)
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel 36 jobs' }))
  await screen.findByText('Cancelled 36 jobs.')
  expect(sentRequests.filter(({ path }) => path.startsWith('/api/cancel/'))).toHaveLength(36)
  // Another search has another selection.
  fireEvent.click(screen.getByRole('radio', { name: 'Failed' }))
  await waitFor(() => expect(screen.queryByText('37 selected')).toBeNull())
})

it('selects as many jobs as one action may have', async () => {
  await renderList([makeJobSummary()])
  answerWith({
    'GET /api/jobs': ({ query }: SentRequest) =>
      query.get('limit') === '200' ? [waiting, failed] : firstPageOf([waiting])(),
    'GET /api/jobs/count': { jobs: 1000, more: true },
  })
  fireEvent.click(screen.getByRole('radio', { name: 'Pending' }))
  await screen.findByText('1,000+ jobs')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select waiting one' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Select the first 200 of 1,000+ jobs' }))
  await screen.findByText('2 selected')
})

it('shows the columns that were chosen, also metrics', async () => {
  const job = makeJobSummary({ metrics: { loss: 0.123456789 }, requested_gpus: 4, tags: ['v2'] })
  await renderList([job])
  answerWith({ 'GET /api/jobs/suggestions': ['loss'] })
  openByKeyboard(screen.getByRole('button', { name: 'View' }))
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'loss' }))
  fireEvent.click(screen.getByRole('menuitemcheckbox', { name: 'GPU hours' }))
  fireEvent.click(screen.getByRole('menuitemcheckbox', { name: 'Node' }))
  fireEvent.click(screen.getByRole('menuitemradio', { name: 'Compact rows' }))
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
  const columns = () =>
    screen.getAllByRole('columnheader', { hidden: true }).map(({ textContent }) => textContent)
  await waitFor(() => expect(columns().join(' ')).toContain('loss'))
  expect(columns().join(' ')).not.toContain('Node')
  const row = screen.getAllByRole('row', { hidden: true })[1]
  expect(row?.textContent).toContain('0.12346')
  expect(row?.textContent).toContain('0.34')
  expect(localStorage.getItem('gpuq.jobs.columns')).toContain('metric.loss')
})

it('moves through the list, selects and searches by keyboard', async () => {
  await renderList([makeJobSummary(), failed, waiting])
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })
  press('j')
  expect(document.activeElement?.textContent).toBe('baseline')
  press('j')
  press('x')
  expect((await screen.findByRole('toolbar', { name: 'Selected jobs' })).textContent).toContain('1 selected')
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select 00000002' }).checked).toBe(true)
  press('j')
  press('j')
  expect(document.activeElement?.textContent).toBe('waiting one')
  press('k')
  press('x')
  await waitFor(() => expect(screen.queryByRole('toolbar')).toBeNull())
  press('/')
  expect(document.activeElement).toBe(box())
})

it('cancels and tags the selected jobs, and names a failure', async () => {
  await renderList([makeJobSummary(), failed, waiting])
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select waiting one' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Select all 3' }))
  answerWith({ 'POST /api/cancel/job-00000003': makeJob() })
  clickButton('Cancel')
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel 1 job' }))
  await screen.findByText('Cancelled 1 job.')
  const sent = sentRequests.filter(({ method }) => method !== 'GET')
  expect(sent.map(({ path }) => path)).toEqual(['/api/cancel/job-00000003'])
  answerWith({
    [`PATCH /api/jobs/${makeJobSummary().job_id}`]: new ApiProblem(409, {
      detail: 'Too many tags.',
      code: 'conflict',
    }),
    'PATCH /api/jobs/job-00000002': makeJob(),
    'PATCH /api/jobs/job-00000003': makeJob(),
  })
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  clickButton('Tag')
  fireEvent.change(await screen.findByRole('textbox', { name: 'Tag' }), { target: { value: ' v2 ' } })
  clickButton('Add tag')
  await screen.findByText('Tagged 2 jobs. 1 job failed.')
  await screen.findByText('Too many tags.')
  expect(sentRequests.find(({ method }) => method === 'PATCH')?.body).toEqual({ tags: ['v2'] })
  clickButton('Clear selection')
  expect(screen.queryByRole('toolbar')).toBeNull()
})

it('compares the selected jobs, from two on', async () => {
  await renderList([makeJobSummary(), failed, waiting])
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select waiting one' }))
  const compare = await screen.findByRole<HTMLButtonElement>('button', { name: 'Compare' })
  expect(compare.disabled).toBe(true)
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select 00000002' }))
  clickButton('Compare')
  expect(router.push).toHaveBeenCalledWith('/jobs/compare?ids=job-00000002,job-00000003')
})

it('saves the search as a view with its columns, renames and deletes it', async () => {
  localStorage.setItem('gpuq.jobs.columns', 'status,metric.loss')
  const views: Partial<SavedView>[] = []
  answerWith({
    'GET /api/views': () => [...views],
    'POST /api/views': ({ body }: SentRequest) => {
      const view = { ...(body as object), view_id: 'v1', created_at: '2026-11-22T10:00:00.000Z' }
      views.push(view)
      return view
    },
  })
  await renderList([makeJobSummary()], '?q=tag:v2&sort=-wait')
  fireEvent.click(await screen.findByRole('button', { name: 'Save view' }))
  fireEvent.change(await screen.findByRole('textbox', { name: 'Name of the view' }), {
    target: { value: ' ' },
  })
  fireEvent.click(screen.getAllByRole('button', { name: 'Save view' }).at(-1) as HTMLElement)
  await screen.findByText(/A name is empty/)
  typeInto('Name of the view', 'Mine')
  fireEvent.click(screen.getAllByRole('button', { name: 'Save view' }).at(-1) as HTMLElement)
  await waitFor(() =>
    expect(views).toMatchObject([
      { name: 'Mine', all: false, q: 'tag:v2', sort: '-wait', columns: 'status,metric.loss' },
    ]),
  )
  openByKeyboard(await screen.findByRole('button', { name: 'Mine' }))
  expect(location.search).toBe('?q=tag%3Av2&sort=-wait&columns=status%2Cmetric.loss')
  answerWith({
    'DELETE /api/views/v1': () => {
      views.length = 0
      return null
    },
  })
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete view' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Delete view' }))
  await screen.findByRole('button', { name: 'Save view' })
})

it('shows why the list failed to load, and tries again', async () => {
  answerWith({ 'GET /api/jobs': new ApiProblem(400, { detail: 'The cursor is invalid.', code: 'invalid' }) })
  renderUi(<JobList />)
  await screen.findByText('The cursor is invalid.')
  answerWith({ 'GET /api/jobs': [makeJobSummary()] })
  clickButton('Try again')
  await screen.findByRole('link', { name: 'baseline' })
})

it('links to the pages that exist', () => {
  renderUi(<Pagination label="Jobs" nextHref="?cursor=x" />)
  expect(screen.getByRole('link', { name: 'Next' }).getAttribute('href')).toContain('cursor=x')
  expect(screen.queryByRole('link', { name: 'Previous' })).toBeNull()
})

it.each([
  [undefined, '–'],
  [3, '3'],
  [0.123456789, '0.12346'],
  [1e-9, '1e-9'],
  [123_456_789_012, '123460000000'],
])('writes the metric %s as %s', (value, text) => {
  expect(formatMetric(value)).toBe(text)
})

it.each([
  [1, '2026-11-22T10:30:00.000Z', '0.50'],
  [0, '2026-11-22T10:30:00.000Z', '0'],
  [1, '2026-11-22T10:00:01.000Z', '<0.01'],
  [1, null, '–'],
])('writes %s GPUs until %s as %s GPU hours', (requested_gpus, completed_at, text) => {
  expect(gpuHours(makeJobSummary({ requested_gpus, completed_at }))).toBe(text)
})
