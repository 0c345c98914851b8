import { expect, it } from 'vitest'
import { accountingQuerySchema } from '@/lib/accounting/contract'
import { rangeOf } from '@/lib/accounting/contract-range'
import { readRequest } from './accounting-request'

it.each([
  '',
  'by=week',
  'by=project&from=2026-01-31&to=2026-02-28',
  'from=2026-01-31',
  'to=2026-02-28',
  'from=2000-01-01&to=2999-12-31',
  'by=user&from=2026-02-28&to=2026-02-28',
])('shows what the address "%s" asks for, as the API does', (query) => {
  const { by, ...range } = accountingQuerySchema.parse(Object.fromEntries(new URLSearchParams(query)))
  expect(readRequest(new URLSearchParams(query))).toEqual({ by, ...rangeOf(range) })
})

it.each([
  'by=nothing',
  'by=',
  'from=',
  'from=2026-02-30',
  'to=2026-13-01',
  'from=2026-1-1',
  'from=2026-01-01T00:00',
  'from=1999-12-31',
  'to=3000-01-01',
  'from=0000-00-00&to=NaN',
  'from=2026-02-02&to=2026-02-01',
])('shows the default for the address "%s", which the API rejects', (query) => {
  const given = Object.fromEntries(new URLSearchParams(query))
  expect(accountingQuerySchema.safeParse(given).success).toBe(false)
  expect(readRequest(new URLSearchParams(query))).toEqual({ by: 'user', ...rangeOf({}) })
})
