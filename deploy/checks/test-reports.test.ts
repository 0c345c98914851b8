import { describe, expect, it } from 'vitest'
import {
  countPlaywright,
  countVitest,
  outcomesOfPlaywright,
  outcomesOfVitest,
  slowest,
  summarise,
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

it('reads what became of the tests of Vitest, with paths relative to the root', () => {
  const assertionResults = [
    {
      fullName: 'a group is round',
      title: 'is round',
      status: 'passed',
      duration: 12.4,
      meta: { notes: { seed: '8' } },
    },
    { title: 'is red', status: 'failed' },
  ]
  expect(outcomesOfVitest([{ name: '/root/lib/x.test.ts', assertionResults }], '/root')).toEqual([
    {
      file: 'lib/x.test.ts',
      title: 'is round',
      fullTitle: 'a group is round',
      passed: true,
      ms: 12,
      notes: { seed: '8' },
    },
    { file: 'lib/x.test.ts', title: 'is red', fullTitle: 'is red', passed: false, ms: 0, notes: {} },
  ])
})

it.each([
  {
    around: 'a worker',
    title: 'a worker that is killed loses nothing',
    full: 'a worker that is killed loses nothing',
  },
  { around: 'files', title: 'files that are dropped are read', full: 'files that are dropped are read' },
  { around: 'a worker', title: 'leaves when it is told', full: 'a worker leaves when it is told' },
])('a test is reported as "$full", which says its subject once', ({ around, title, full }) => {
  const fullName = `${around} ${title}`
  const failure = { status: 'passed', failureMessages: ['x'] }
  const file = { ...ran, assertionResults: [{ title, fullName, ...failure }] }
  expect(countVitest(vitest(1, 0, 1, [file]), true).problems).toEqual([
    `passed only when repeated: ${full}: x`,
  ])
  expect(outcomesOfVitest([file], '')[0]?.fullTitle).toBe(full)
  const suites = [
    { suites: [{ title: around, specs: [{ title, file: 'x.spec.ts', tests: [{ results: [] }] }] }] },
  ]
  expect(outcomesOfPlaywright({ suites })[0]?.fullTitle).toBe(full)
})

it('reads what became of the tests of Playwright from nested suites, once for each browser project', () => {
  const annotations = [{ type: 'seed', description: '7' }]
  const tests = [
    { status: 'flaky', annotations, results: [{ duration: 5 }, { duration: 7 }] },
    { status: 'unexpected', results: [{ duration: 3 }] },
  ]
  const specs = [{ title: 'b', file: 'x.spec.ts', tests }]
  const suites = [
    { title: 'x.spec.ts', file: 'x.spec.ts', suites: [{ title: 'a group', file: 'x.spec.ts', specs }] },
  ]
  const test = { file: 'e2e/x.spec.ts', title: 'b', fullTitle: 'a group b' }
  expect(outcomesOfPlaywright({ suites })).toEqual([
    { ...test, passed: true, ms: 12, notes: { seed: '7' } },
    { ...test, passed: false, ms: 3, notes: {} },
  ])
})

it('puts the slowest first', () => {
  const test = { file: 'a.test.ts', title: 'a', fullTitle: 'a', passed: true, notes: {} }
  const tests = [3, 9, 1].map((ms) => ({ ...test, ms }))
  expect(slowest(tests, 2).map(({ ms }) => ms)).toEqual([9, 3])
})
