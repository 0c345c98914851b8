import { describe, expect, it } from 'vitest'
import {
  countPlaywright,
  countVitest,
  outcomesOfPlaywright,
  outcomesOfVitest,
  slowest,
  summarise,
  timesOfPlaywright,
  timesOfVitest,
} from './test-reports'

const ran = { name: 'a.test.ts', status: 'passed', assertionResults: [{}] }
const broken = {
  name: 'b.test.ts',
  status: 'failed',
  message: 'Cannot find module x\n  at y',
  assertionResults: [],
}

function vitest(passed: number, failed: number, total: number, testResults = [ran]) {
  return { numPassedTests: passed, numFailedTests: failed, numTotalTests: total, testResults }
}

describe('unit, database and Docker tests', () => {
  it('are counted', () => {
    expect(countVitest(vitest(5, 0, 5), true)).toEqual({ passed: 5, failed: 0, problems: [] })
    expect(countVitest(vitest(5, 2, 7), false)).toEqual({ passed: 5, failed: 2, problems: [] })
  })

  it('fail when a file cannot even be loaded', () => {
    const counts = countVitest(vitest(5, 0, 5, [ran, broken]), false)
    expect(counts.failed).toBe(1)
    expect(counts.problems).toEqual(['b.test.ts could not be run: Cannot find module x'])
  })

  it('fail when some are skipped, when there are none, and when the run ends badly', () => {
    expect(countVitest(vitest(5, 0, 6), true)).toMatchObject({ passed: 5, failed: 1 })
    expect(countVitest(vitest(0, 0, 0, []), true)).toMatchObject({ failed: 1, problems: ['no test was run'] })
    expect(countVitest(vitest(5, 0, 5), false)).toMatchObject({ passed: 5, failed: 1 })
  })
})

describe('a test that passes only when it is repeated', () => {
  const repeated = { fullName: 'a', status: 'passed', failureMessages: ['Error: x\n  at y'] }
  const line = 'passed only when repeated: a: Error: x'

  it('is listed with its failure', () => {
    const file = { ...ran, assertionResults: [repeated, { fullName: 'b', status: 'passed' }] }
    expect(countVitest(vitest(2, 0, 2, [file]), true)).toEqual({ passed: 2, failed: 0, problems: [line] })
    const results = [{ duration: 1, error: { message: 'Error: x\n  at y' } }, { duration: 1 }]
    const suites = [
      { suites: [{ specs: [{ title: 'a', file: 'a.ts', tests: [{ status: 'flaky', results }] }] }] },
    ]
    const stats = { expected: 1, unexpected: 0, flaky: 1, skipped: 0 }
    expect(countPlaywright({ stats, errors: [], suites }, true)).toEqual({
      passed: 2,
      failed: 0,
      problems: [line],
    })
  })

  it('counts as failed if there are many of them', () => {
    const file = { ...ran, assertionResults: Array.from({ length: 4 }, () => repeated) }
    expect(countVitest(vitest(4, 0, 4, [file]), true).failed).toBe(4)
  })
})

describe('browser tests', () => {
  const stats = { expected: 4, unexpected: 0, flaky: 0, skipped: 0 }

  it('are counted', () => {
    expect(countPlaywright({ stats, errors: [] }, true)).toEqual({ passed: 4, failed: 0, problems: [] })
    expect(countPlaywright({ stats: { ...stats, unexpected: 1 }, errors: [] }, false).failed).toBe(1)
  })

  it('fail when skipped, and when the server does not start', () => {
    expect(countPlaywright({ stats: { ...stats, skipped: 2 }, errors: [] }, true).failed).toBe(2)
    const none = { expected: 0, unexpected: 0, flaky: 0, skipped: 0 }
    expect(countPlaywright({ stats: none, errors: [{ message: 'no server\nat x' }] }, false)).toEqual({
      passed: 0,
      failed: 1,
      problems: ['no server'],
    })
  })
})

describe('the summary', () => {
  it('ends with the totals', () => {
    const { table, last, failed } = summarise([
      { name: 'lint', counts: { passed: 1, failed: 0, problems: [] }, time: '2.0 s' },
      {
        name: 'docker',
        counts: { passed: 120, failed: 2, problems: ['the engine went away'] },
        time: '60 s',
      },
    ])
    expect(last).toBe('121 passed, 2 failed')
    expect(failed).toBe(2)
    expect(table.split('\n')).toHaveLength(3)
    expect(table).toMatch(/✓ lint +1 passed[\s\S]*✗ docker +120 passed, 2 failed[\s\S]*the engine went away/)
  })
})

it('reads the times of Vitest, with paths relative to the root', () => {
  const assertionResults = [{ fullName: 'a b', duration: 12 }, { fullName: 'c' }]
  expect(timesOfVitest([{ name: '/root/lib/x.test.ts', assertionResults }], '/root')).toEqual([
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

it('reads the outcomes of Vitest and Playwright', () => {
  const assertionResults = [
    { fullName: 'a group is round', title: 'is round', status: 'passed' },
    { title: 'is red', status: 'failed' },
  ]
  expect(outcomesOfVitest([{ name: '/root/lib/x.test.ts', assertionResults }], '/root')).toEqual([
    { file: 'lib/x.test.ts', title: 'is round', passed: true, notes: {} },
    { file: 'lib/x.test.ts', title: 'is red', passed: false, notes: {} },
  ])
  const annotations = [{ type: 'seed', description: '7' }]
  const tests = [
    { status: 'flaky', annotations, results: [] },
    { status: 'unexpected', results: [] },
  ]
  expect(outcomesOfPlaywright({ suites: [{ specs: [{ title: 'b', file: 'x.spec.ts', tests }] }] })).toEqual([
    { file: 'e2e/x.spec.ts', title: 'b', passed: true, notes: { seed: '7' } },
    { file: 'e2e/x.spec.ts', title: 'b', passed: false, notes: {} },
  ])
})

it('puts the slowest first', () => {
  const tests = [3, 9, 1].map((ms) => ({ name: String(ms), ms }))
  expect(slowest(tests, 2).map(({ ms }) => ms)).toEqual([9, 3])
})
