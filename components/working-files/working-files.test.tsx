import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { makeJob } from '../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { WorkingFiles } from './working-files'

const job = makeJob({ status: 'completed', files_deleted: null })
const path = `/api/jobs/${job.job_id}/working-files`
const file = (version: number, name: string, rank = 0) => ({
  file_id: `file-${version}`,
  rank,
  path: name,
  bytes: 10,
  sha256: '',
  executable: false,
  version,
})
const page = { working_directory: '/work', next: 2, more: false, ended: true }

it('lists the changed files of all pages in their directories, to download', async () => {
  answerWith({
    [`GET ${path}`]: ({ query }: { query: URLSearchParams }) =>
      query.get('after') === '2'
        ? { ...page, files: [file(3, 'notes\u202e.txt')], next: 3 }
        : { ...page, files: [file(1, 'logs/train.log'), file(2, 'logs/test.log')], more: true, ended: false },
  })
  renderUi(<WorkingFiles job={job} />)
  expect(await screen.findByText('3 changed files, 30 B, from /work')).toBeTruthy()
  expect(screen.queryByText(/\u202e/)).toBeNull()
  clickButton(/logs/)
  const link = screen.getByRole('link', { name: 'Download logs/train.log' })
  expect(link.getAttribute('href')).toContain(`${path}/file-1`)
  expect(sentRequests.map(({ query }) => query.get('after'))).toEqual([null, '2'])
})

it('keeps the files of several ranks apart', async () => {
  answerWith({ [`GET ${path}`]: { ...page, files: [file(1, 'log'), file(2, 'log', 1)] } })
  renderUi(<WorkingFiles job={job} />)
  clickButton((await screen.findByRole('button', { name: /rank-1/ })).textContent ?? '')
  expect(screen.getByRole('link', { name: 'Download rank-1/log' }).getAttribute('href')).toContain('file-2')
})

it('shows nothing for a job whose files do not return', async () => {
  answerWith({ [`GET ${path}`]: { ...page, working_directory: null, files: [] } })
  const { container } = renderUi(<WorkingFiles job={job} />)
  await expect.poll(() => sentRequests.length).toBe(1)
  expect(container.textContent).toBe('')
})
