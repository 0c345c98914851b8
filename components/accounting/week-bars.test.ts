import { expect, it } from 'vitest'
import type { AccountingRow } from '@/lib/accounting/contract'
import { axisEnd, maxWeeks, toWeekBars } from './week-bars'

const row = (group: string, hours: Partial<AccountingRow>): AccountingRow => ({
  group,
  name: null,
  project: null,
  completed: 0,
  failed: 0,
  cancelled: 0,
  gpu_hours: 0,
  measured_gpu_hours: 0,
  used_gpu_hours: 0,
  idle_gpu_hours: 0,
  efficiency: null,
  cpu_hours: 0,
  median_wait_s: null,
  p90_wait_s: null,
  ...hours,
})

it('has a bar for each week of the range, also for weeks without jobs and across a new year', () => {
  const rows = [
    row('2026-12-28', { gpu_hours: 10, measured_gpu_hours: 8, used_gpu_hours: 6, idle_gpu_hours: 2 }),
  ]
  expect(toWeekBars(rows, { from: '2026-12-24', to: '2027-01-04' })).toEqual([
    { week: '2026-12-21', used: 0, idle: 0, unmeasured: 0 },
    { week: '2026-12-28', used: 6, idle: 2, unmeasured: 2 },
    { week: '2027-01-04', used: 0, idle: 0, unmeasured: 0 },
  ])
})

it('keeps the last weeks of a range of centuries', () => {
  const bars = toWeekBars([], { from: '2000-01-01', to: '2999-12-31' })
  expect(bars).toHaveLength(maxWeeks)
  expect(bars.at(-1)?.week).toBe('2999-12-30')
})

it.each([
  [0, 1],
  [0.03, 0.05],
  [7, 10],
  [100, 100],
  [101, 200],
])('ends the axis of %d at %d', (highest, end) => {
  expect(axisEnd(highest)).toBeCloseTo(end, 9)
})
