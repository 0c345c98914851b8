import { expect, it } from 'vitest'
import { describeBudget } from './contract'

const monday = '2026-12-07T00:00:00.000Z'
const month = '2027-01-01T00:00:00.000Z'

it.each([
  ['total', null, 40, 0, '0 of 40 GPU hours used; 40 left.'],
  ['total', null, 1, 0.25, '0.3 of 1 GPU hour used; 0.8 left.'],
  ['day', monday, 40, 3.2, '3.2 of 40 GPU hours used today; 36.8 left until 00:00 UTC.'],
  ['week', monday, 40, 3.2, '3.2 of 40 GPU hours used this week; 36.8 left until Monday 00:00 UTC.'],
  ['month', month, 40, 3.2, '3.2 of 40 GPU hours used this month; 36.8 left until 1 January 00:00 UTC.'],
  ['total', null, 40, 40, 'All 40 GPU hours are used.'],
  ['total', null, 40, 41.5, 'All 40 GPU hours are used.'],
  ['week', monday, 40, 40, 'All 40 GPU hours are used this week; nothing is left until Monday 00:00 UTC.'],
  ['total', null, 0, 0, 'The budget is 0 GPU hours.'],
] as const)(
  'a budget (%s, until %s) of %d GPU hours of which %d are used',
  (period, resets_at, gpu_hours, used_gpu_hours, sentence) => {
    expect(describeBudget({ gpu_hours, period, resets_at, used_gpu_hours })).toBe(sentence)
  },
)

it.each([
  [39.96, '39.96 of 40 GPU hours used; 0.04 left.'],
  [39.9977, '39.9977 of 40 GPU hours used; 0.0023 left.'],
  [39.999_99, '40 of 40 GPU hours used; less than 0.0001 left.'],
])(
  'a budget of 40 GPU hours of which %d are used: never says that nothing is left',
  (used_gpu_hours, sentence) => {
    expect(describeBudget({ gpu_hours: 40, period: 'total', resets_at: null, used_gpu_hours })).toBe(sentence)
  },
)
