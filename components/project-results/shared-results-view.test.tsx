import { screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { SharedResults } from '@/lib/project-results/contract'
import { clickButton, renderUi, sentRequests } from '../testing/render'
import { SharedResultsView } from './shared-results-view'

vi.mock('next/navigation', () => import('../testing/navigation'))

const results: SharedResults = {
  title: 'Ablation',
  columns: ['pictures'],
  metrics: ['loss'],
  group_by: 'tag.lr',
  rows: [
    { number: 1, metrics: { loss: 0.5 }, group: '0.1', pictures: [{ number: 1, path: 'plot.png' }] },
    { number: 3, metrics: { loss: 0.25 }, group: '0.2', pictures: [] },
  ],
  expires_at: '2026-11-29T10:00:00.000Z',
}

it('shows the chosen columns in the order of the link, without links to more and without requests', () => {
  renderUi(<SharedResultsView results={results} token="t" />)
  expect(screen.getByRole('heading', { level: 1, name: 'Ablation' })).toBeTruthy()
  const table = screen.getByRole('table', { name: 'Results' })
  const heads = within(table).getAllByRole('columnheader')
  expect(heads.map(({ textContent }) => textContent)).toEqual(['Job', 'Tag lr', 'loss', 'Pictures'])
  const rows = within(table).getAllByRole('row').slice(1)
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Job 1/),
    expect.stringMatching(/^Job 3/),
  ])
  expect(within(table).queryByRole('link')).toBeNull()
  expect(within(table).queryByRole('checkbox')).toBeNull()
  expect(screen.getByRole('table', { name: 'Groups by Tag lr' })).toBeTruthy()
  expect(sentRequests).toEqual([])
})

it('shows pictures by their numbers', async () => {
  renderUi(<SharedResultsView results={results} token="t" />)
  const picture = await screen.findByRole('img', { name: 'plot.png' })
  expect(new URL(picture.getAttribute('src') ?? '', location.href).pathname).toBe(
    '/api/shared-results/t/jobs/1/pictures/1',
  )
})

it('is sorted by its readers', () => {
  renderUi(<SharedResultsView results={results} token="t" />)
  clickButton('loss')
  clickButton('loss')
  const rows = within(screen.getByRole('table', { name: 'Results' })).getAllByRole('row')
  expect(rows[1]?.textContent).toContain('Job 3')
})

it('says that its jobs were deleted', () => {
  renderUi(<SharedResultsView results={{ ...results, rows: [] }} token="t" />)
  expect(screen.getByText('The jobs of this link were deleted.')).toBeTruthy()
})
