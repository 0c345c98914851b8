import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { DownloadLink } from '@/lib/artifacts/contract-links'
import type { JobShare } from '@/lib/shares/contract'
import { makeJob } from '../testing/fixtures'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { ShareDialog } from './share-dialog'

vi.mock('next/navigation', () => import('../testing/navigation'))

const { job_id: id } = makeJob()
const share: JobShare = {
  id: '01920000-0000-7000-8000-000000000000',
  output: true,
  metrics: true,
  files: false,
  source: true,
  created_by: 'ada',
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-08T00:00:00.000Z',
}
const url = 'http://gpuq.test/shared/a-secret-token'

/** A server that stores one link. */
function openDialog() {
  let shares: JobShare[] = []
  answerWith({
    [`GET /api/jobs/${id}/shares`]: () => shares,
    [`GET /api/jobs/${id}/links`]: () => [],
    [`POST /api/jobs/${id}/shares`]: () => {
      shares = [share]
      return { ...share, url }
    },
    [`DELETE /api/jobs/${id}/shares/${share.id}`]: () => {
      shares = []
      return null
    },
  })
  renderUi(<ShareDialog id={id} onClose={() => {}} />)
}

it('creates a link for seven days, shows its address once, and forgets it when it is revoked', async () => {
  openDialog()
  expect(await screen.findByText(/^None\./)).toBeTruthy()
  const choice = screen.getByRole('group', { name: 'The link shows' })
  expect(
    within(choice)
      .getAllByRole<HTMLInputElement>('checkbox')
      .map(({ name, checked }) => [name, checked]),
  ).toEqual([
    ['output', true],
    ['metrics', true],
    ['files', true],
    ['source', false],
  ])
  for (const name of ['Files', 'Source']) fireEvent.click(screen.getByRole('checkbox', { name }))
  clickButton('Create link')
  expect(await screen.findByText(url)).toBeTruthy()
  expect(sentRequests.find(({ method }) => method === 'POST')?.body).toEqual({
    expires_in_days: 7,
    output: true,
    metrics: true,
    files: false,
    source: true,
  })
  expect(await screen.findByText(/^Shows status, output, metrics, and source until/)).toBeTruthy()
  clickButton('Revoke this link')
  expect(await screen.findByText(/^None\./)).toBeTruthy()
  await waitFor(() => expect(screen.queryByText(url)).toBeNull())
})

it('lists the download links that programs have made, and revokes one', async () => {
  const link: DownloadLink = {
    id: '01920000-0000-7000-8000-000000000001',
    file: '01920000-0000-7000-8000-000000000002',
    path: 'model.bin',
    created_by: 'ada',
    made_with: 'cluster',
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-08T00:00:00.000Z',
  }
  let links = [link, { ...link, id: '01920000-0000-7000-8000-000000000003', file: 'result', path: null }]
  answerWith({
    [`GET /api/jobs/${id}/shares`]: () => [],
    [`GET /api/jobs/${id}/links`]: () => links,
    [`DELETE /api/jobs/${id}/links/${link.id}`]: () => {
      links = links.slice(1)
      return null
    },
  })
  renderUi(<ShareDialog id={id} onClose={() => {}} />)
  const list = await screen.findByRole('region', { name: 'Download links' })
  expect(list.textContent).toMatch(/model\.bin, until .*with the token cluster.*Result, until/s)
  clickButton('Revoke the download link to model.bin')
  await waitFor(() => expect(list.textContent).not.toContain('model.bin'))
  expect(list.textContent).toContain('Result')
})
