import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { makeJobSummary } from '../../testing/fixtures'
import { ApiProblem, answerWith, clickButton, renderUi, typeInto } from '../../testing/render'
import { Pagination } from '../../ui/pagination'
import { JobList } from './job-list'
import { JobTable } from './job-table'

vi.mock('next/navigation', () => import('../../testing/navigation'))

it('shows each job with its status, reason and run time', () => {
  const failed = makeJobSummary({
    job_id: 'job-00000002',
    name: null,
    status: 'failed',
    reason: 'exit_code',
    exit_code: 2,
  })
  renderUi(<JobTable jobs={[makeJobSummary(), failed]} everyone={false} />)
  const [first, second] = screen.getAllByRole('row').slice(1)
  expect(first?.textContent).toContain('Completed')
  expect(first?.textContent).toContain('5 min 03 s')
  expect(second?.textContent).toContain('Failedexit code 2')
  expect(screen.getByRole('link', { name: '00000002' }).getAttribute('href')).toBe('/jobs/job-00000002')
  expect(screen.queryByRole('columnheader', { name: 'User' })).toBeNull()
})

it('names the node and the user of each job', () => {
  const jobs = [
    makeJobSummary({ user_name: 'Ada Lovelace', node_name: 'vm' }),
    makeJobSummary({ job_id: 'job-00000002', user_id: 'grace', node_name: null }),
  ]
  renderUi(<JobTable jobs={jobs} everyone />)
  const [first, second] = screen.getAllByRole('row').slice(1)
  expect(first?.textContent).toContain('Ada Lovelace (ada)')
  expect(first?.textContent).toContain('vm')
  expect(second?.textContent).toContain('grace')
})

it('shows how to submit the first job', async () => {
  answerWith({ 'GET /api/jobs': [] })
  renderUi(<JobList />)
  await screen.findByText('No jobs yet')
  expect(screen.getByRole('link', { name: 'Submit a job' }).getAttribute('href')).toBe('/submit')
  expect(screen.getByRole('region', { name: 'curl command' }).textContent).toContain(
    `${location.origin}/api/submit`,
  )
})

it('filters by status and competition in the address, and clears the filters', async () => {
  answerWith({ 'GET /api/jobs': [] })
  renderUi(<JobList />)
  fireEvent.click(await screen.findByRole('radio', { name: 'Failed' }))
  expect(location.search).toBe('?status=failed')
  await screen.findByText('No matching jobs')
  typeInto('Competition', 'cifar10')
  await waitFor(() => expect(location.search).toBe('?status=failed&competition_id=cifar10'))
  clickButton('Clear')
  expect(location.search).toBe('')
  await screen.findByText('No jobs yet')
})

it('filters by tag and by the star in the address', async () => {
  answerWith({ 'GET /api/jobs': [] })
  renderUi(<JobList />)
  typeInto('Tag', 'v2')
  await waitFor(() => expect(location.search).toBe('?tag=v2'))
  clickButton('Only jobs with a star')
  expect(location.search).toBe('?tag=v2&starred=true')
  clickButton('Only jobs with a star')
  expect(location.search).toBe('?tag=v2')
})

it('does not apply an invalid filter', async () => {
  answerWith({ 'GET /api/jobs': [] })
  renderUi(<JobList />)
  const filter = await screen.findByLabelText('Project')
  typeInto('Project', 'a/b')
  expect(filter.getAttribute('aria-invalid')).toBe('true')
  typeInto('Project', 'ab')
  expect(filter.getAttribute('aria-invalid')).toBeNull()
  await waitFor(() => expect(location.search).toBe('?project_id=ab'))
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
  expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toContain('cursor=x')
  expect(screen.queryByRole('link', { name: 'Newer' })).toBeNull()
})
