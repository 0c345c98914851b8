import { expect, it } from 'vitest'
import { describeSummary, summariseHostile } from './hostile-summary'
import type { Outcome } from './test-reports'

const test = (title: string) => ({ file: 'e2e/x.spec.ts', title })
const rows = [
  { name: 'request: malformed', tests: [test('fuzzes')] },
  { name: 'job: a bomb', tests: [test('ends'), test('is told')] },
  { name: 'job: a link', tests: [test('is not kept')] },
  { name: 'job: a path', tests: [test('cannot be %j')] },
]
const outcome = (title: string, passed = true, notes: Outcome['notes'] = {}): Outcome => ({
  ...test(title),
  fullTitle: title,
  passed,
  ms: 1,
  notes,
})
const outcomes = [
  outcome('fuzzes', true, { moments: '5000', seed: '7', note: 'no failure' }),
  outcome('ends'),
  outcome('is told'),
  outcome('is told', false),
  outcome('cannot be ".."'),
  outcome('cannot be "/"'),
]

it('has a row for each hostile job, request and finding, with the number of tests or requests', () => {
  const summary = summariseHostile(rows, outcomes, new Date(0))
  expect(summary).toMatchObject({ suite: 'hostile', date: '1970-01-01T00:00:00.000Z', seed: 7 })
  expect(summary.machine).toMatch(/^\d+ × .+ GiB/)
  expect(summary.rows).toEqual([
    { name: 'request: malformed', moments: 5000, passed: true, note: 'no failure' },
    { name: 'job: a bomb', moments: 3, passed: false, note: 'failed: is told' },
    { name: 'job: a link', moments: 0, passed: false, note: 'did not run: is not kept' },
    { name: 'job: a path', moments: 2, passed: true },
  ])
  expect(describeSummary(summary)).toContain('2 of 4 rows passed, GPUQ_TEST_SEED=7')
})
