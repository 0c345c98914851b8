/** Reads the reports of Vitest and Playwright: the counts, and what became of each test. */
import { stripVTControlCharacters } from 'node:util'

export interface Counts {
  passed: number
  failed: number
  /** Problems in addition to the failures that the runner itself prints. */
  problems: string[]
}

/** A test that ran. */
export interface Outcome {
  /** Relative to the root. */
  file: string
  /** Without the titles around it. */
  title: string
  /** With the titles around it, unless it stands alone. */
  fullTitle: string
  passed: boolean
  /** How long it ran, in milliseconds, with its repetition. Waits for tests beside it count. */
  ms: number
  /** What the test reports of itself: annotations of Playwright by type, or `meta.notes` of Vitest. */
  notes: Readonly<Record<string, string>>
}

interface VitestFile {
  name: string
  assertionResults: {
    title?: string
    fullName?: string
    duration?: number | null
    status?: string
    /** In a test that passed: the failures before its repeat. */
    failureMessages?: string[] | null
    /** `e2e/report-notes.ts` fills it. */
    meta?: { notes?: Readonly<Record<string, string>> }
  }[]
}

export interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numTotalTests: number
  testResults: (VitestFile & { status: string; message?: string })[]
}

interface Suite {
  title?: string
  file?: string
  suites?: Suite[]
  specs?: {
    title: string
    file: string
    tests: {
      status?: string
      annotations?: { type: string; description?: string }[]
      results: { duration: number; error?: { message?: string } }[]
    }[]
  }[]
}

export interface PlaywrightReport extends Suite {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  errors: { message?: string }[]
}

/**
 * Containers, browsers and databases run on a machine that other programs use, so a test of them is repeated once. A
 * test that passes then is listed with its failure, because it may show a rare fault of gpuq. More than this many in
 * one check are no accident.
 */
const mostRepeated = 3

/** A skipped test counts as failed. */
export function countVitest(report: VitestReport, exitedWell: boolean): Counts {
  const { numPassedTests: passed, numFailedTests, numTotalTests } = report
  const problems = report.testResults
    .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
    .map(({ name, message }) => `${name} could not be run: ${(message ?? '').split('\n')[0]}`)
  const skipped = numTotalTests - passed - numFailedTests
  const failed = numFailedTests + problems.length + skipped
  if (skipped > 0) problems.push(`${skipped} skipped, which counts as failed`)
  const repeated = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ status, fullName = '', title = fullName, failureMessages }) =>
      status === 'passed' && failureMessages?.[0]
        ? [describeRepeated(toFullTitle(title, fullName), failureMessages[0])]
        : [],
    ),
  )
  return complete(withRepeated({ passed, failed, problems }, repeated), exitedWell)
}

/** A skipped test counts as failed. */
export function countPlaywright(
  { stats, errors, suites = [] }: Pick<PlaywrightReport, 'stats' | 'errors' | 'suites'>,
  exitedWell: boolean,
): Counts {
  const problems = errors.map(({ message }) => (message ?? 'an error without a message').split('\n')[0] ?? '')
  if (stats.skipped > 0) problems.push(`${stats.skipped} skipped, which counts as failed`)
  const failed = stats.unexpected + stats.skipped + errors.length
  const counts = { passed: stats.expected + stats.flaky, failed, problems }
  return complete(withRepeated(counts, suites.flatMap(repeatedOf)), exitedWell)
}

function repeatedOf({ suites = [], specs = [] }: Suite): string[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests.flatMap(({ status, results }) =>
      status === 'flaky' ? [describeRepeated(title, results[0]?.error?.message ?? '')] : [],
    ),
  )
  return [...suites.flatMap(repeatedOf), ...own]
}

function describeRepeated(title: string, failure: string): string {
  return `passed only when repeated: ${title}: ${stripVTControlCharacters(failure).split('\n')[0]}`
}

function withRepeated({ passed, failed, problems }: Counts, repeated: string[]): Counts {
  const all = [...problems, ...repeated]
  if (repeated.length <= mostRepeated) return { passed, failed, problems: all }
  const many = `${repeated.length} tests passed only when repeated, which counts as failed`
  return { passed, failed: failed + repeated.length, problems: [...all, many] }
}

/** Counts a run without tests as failed, and a run that ended with an error although each test passed. */
function complete({ passed, failed, problems }: Counts, exitedWell: boolean): Counts {
  if (failed > 0 || (passed > 0 && exitedWell)) return { passed, failed, problems }
  const why = passed === 0 ? 'no test was run' : 'every test passed, but the run ended with an error'
  return { passed, failed: 1, problems: [...problems, why] }
}

/** The table of the results, and the line with the totals. */
export function summarise(steps: readonly { name: string; counts: Counts; time: string }[]) {
  const width = Math.max(...steps.map(({ name }) => name.length))
  const digits = Math.max(...steps.map(({ counts }) => String(counts.passed).length))
  const lines = steps.flatMap(({ name, counts, time }) => {
    const mark = counts.failed > 0 ? '✗' : '✓'
    const failed = counts.failed > 0 ? `, ${counts.failed} failed` : ''
    const passed = `${String(counts.passed).padStart(digits)} passed${failed}`
    return [
      `  ${mark} ${name.padEnd(width)}  ${passed.padEnd(digits + 20)}  ${time}`,
      ...counts.problems.map((problem) => `      ${problem}`),
    ]
  })
  const total = (key: 'passed' | 'failed') => steps.reduce((sum, { counts }) => sum + counts[key], 0)
  const failed = total('failed')
  return { table: lines.join('\n'), last: `${total('passed')} passed, ${failed} failed`, failed }
}

/** How the subject of a sentence begins. */
const subject =
  /^(?:an?|the|each|every|no|all|any|some|several|many|both|either|neither|nobody|others?|another|one|two|three|four|five|eight)\b/i

/** The title with those around it, unless it has a subject of its own: "a worker that is killed" below "a worker" says it twice. */
function toFullTitle(title: string, withAround: string): string {
  const repeats = title !== '' && title.split(' ')[0] === withAround.split(' ')[0]
  return repeats || subject.test(title) ? title : withAround
}

/** The tests that ran. `root` is removed from the names of files. */
export function outcomesOfVitest(testResults: readonly VitestFile[], root: string): Outcome[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title = '', fullName = title, status, duration, meta }) => ({
      file: name.replace(`${root}/`, ''),
      title,
      fullTitle: toFullTitle(title, fullName),
      passed: status === 'passed',
      ms: Math.round(duration ?? 0),
      notes: meta?.notes ?? {},
    })),
  )
}

/** The tests that ran, once for each browser project. */
export function outcomesOfPlaywright(
  { suites = [] }: Pick<Suite, 'suites'>,
  titles: string[] = [],
): Outcome[] {
  return suites.flatMap((suite) => {
    // The outermost suite is the file.
    const around = suite.title === undefined || suite.title === suite.file ? titles : [...titles, suite.title]
    const own = (suite.specs ?? []).flatMap(({ title, file, tests }) =>
      tests.map(({ status = '', annotations = [], results }) => ({
        file: `e2e/${file}`,
        title,
        fullTitle: toFullTitle(title, [...around, title].join(' ')),
        passed: status === 'expected' || status === 'flaky',
        ms: Math.round(results.reduce((sum, { duration }) => sum + duration, 0)),
        notes: Object.fromEntries(annotations.map(({ type, description = '' }) => [type, description])),
      })),
    )
    return [...outcomesOfPlaywright(suite, around), ...own]
  })
}

/** The tests that took longest, the slowest first. */
export function slowest(tests: readonly Outcome[], most: number): Outcome[] {
  return tests.toSorted((a, b) => b.ms - a.ms).slice(0, most)
}
