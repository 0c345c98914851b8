import { expect, it } from 'vitest'
import { slowest, timesOfPlaywright, timesOfVitest } from './slowest-tests.mjs'

it('reads the times of Vitest, with paths relative to the root', () => {
  const assertionResults = [{ fullName: 'a b', duration: 12 }, { fullName: 'c' }]
  expect(
    timesOfVitest({ testResults: [{ name: '/root/lib/x.test.ts', assertionResults }] }, '/root'),
  ).toEqual([
    { name: 'lib/x.test.ts: a b', ms: 12 },
    { name: 'lib/x.test.ts: c', ms: 0 },
  ])
})

it('reads the times of Playwright from nested suites, once for each browser project', () => {
  const spec = (title: string, ...times: number[]) => ({
    title,
    file: 'x.spec.ts',
    tests: times.map((duration) => ({ results: [{ duration }] })),
  })
  const report = { suites: [{ specs: [spec('a', 5, 7)], suites: [{ specs: [spec('b', 3)] }] }] }
  expect(timesOfPlaywright(report)).toEqual([
    { name: 'e2e/x.spec.ts: b', ms: 3 },
    { name: 'e2e/x.spec.ts: a', ms: 5 },
    { name: 'e2e/x.spec.ts: a', ms: 7 },
  ])
})

it('puts the slowest first', () => {
  const tests = [3, 9, 1].map((ms) => ({ name: String(ms), ms }))
  expect(slowest(tests, 2).map(({ ms }) => ms)).toEqual([9, 3])
})
