import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Accounting, AccountingRow } from '@/lib/accounting/contract'
import { answerWith, renderUi, sentRequests } from '../testing/render'
import { AccountingView } from './accounting-view'

const usage = {
  completed: 3,
  failed: 1,
  cancelled: 0,
  gpu_hours: 100,
  measured_gpu_hours: 80,
  used_gpu_hours: 20,
  idle_gpu_hours: 60,
  efficiency: 0.25,
  cpu_hours: 5,
  median_wait_s: 90,
  p90_wait_s: 3600,
}
const row = (group: string, more: Partial<AccountingRow> = {}): AccountingRow => ({
  group,
  name: null,
  project: null,
  ...usage,
  ...more,
})
const answer = (by: Accounting['by'], rows: AccountingRow[]): Accounting => ({
  by,
  from: '2026-10-01',
  to: '2026-10-31',
  rows,
  row_count: rows.length,
  total: usage,
})

it('shows the sums, the weeks as a table for screen readers, and sorts the rows by a heading', async () => {
  const users = [
    row('ada'),
    row('bob', { gpu_hours: 7, efficiency: 0.9 }),
    row('carl', { gpu_hours: 3, efficiency: null }),
  ]
  answerWith({
    'GET /api/accounting': ({ query }: { query: URLSearchParams }) =>
      query.get('by') === 'week' ? answer('week', [row('2026-10-05')]) : answer('user', users),
  })
  renderUi(<AccountingView everyone />)
  const table = await screen.findByRole('table', { name: 'Use by user' })
  const names = () =>
    within(table)
      .getAllByRole('row')
      .slice(1)
      .map((line) => within(line).getAllByRole('cell')[0]?.textContent)
  expect(names()).toEqual(['ada', 'bob', 'carl'])
  fireEvent.click(within(table).getByRole('button', { name: 'Efficiency' }))
  expect(names()).toEqual(['bob', 'ada', 'carl'])
  fireEvent.click(within(table).getByRole('button', { name: 'Efficiency' }))
  expect(names()).toEqual(['ada', 'bob', 'carl'])
  expect(within(table).getByRole('columnheader', { name: 'Efficiency' }).ariaSort).toBe('ascending')
  const weeks = screen.getByRole('table', { name: 'GPU hours by week' })
  expect(within(weeks).getByRole('row', { name: '2026-10-05 20 60 20' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toContain(
    '/api/accounting.csv?by=user&',
  )
  expect(sentRequests).toHaveLength(2)
})

it('says what to do if the range has no jobs', async () => {
  answerWith({
    'GET /api/accounting': ({ query }: { query: URLSearchParams }) =>
      answer(query.get('by') === 'week' ? 'week' : 'user', []),
  })
  renderUi(<AccountingView everyone={false} />)
  expect(await screen.findByText('No jobs in this range')).toBeTruthy()
})
