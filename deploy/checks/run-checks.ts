/** Runs the suite that the arguments of `npm test` select, and reports about it. */
import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { formatDuration, type Report } from '../run/report.mjs'
import { root } from '../run/settings.mjs'
import { testsOfChange } from './changed-tests'
import { type CheckResult, CheckRun } from './check-run'
import { createRunners } from './check-runners'
import { chooseChecks, filesOfSuite } from './checks'
import { baseOnMain, changedFiles, identifyCode, lastBase, readAt } from './git-changes.mjs'
import { hostileFiles, readHostileRows } from './hostile-rows'
import { describeMachine, describeSummary, summariseHostile, writeSummary } from './hostile-summary'
import { ReleaseJournal } from './release-journal'
import { type Kind, selectTests } from './select-tests'
import { parseTestOptions, suiteEnvironment, type TestOptions, UsageError } from './test-options'
import { type Outcome, summarise } from './test-reports'
import { createScratch } from './test-scratch'
import { describeSlowest, describeSlowNewTest, findSlowNewTests, writeTimes } from './test-times'

/** Runs the checks that the arguments select. Returns whether all passed. */
export async function runChecks(report: Report, signal: AbortSignal, args: string[]): Promise<boolean> {
  try {
    return await runSuite(report, signal, parseTestOptions(args))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    report.line(`\n  ${error.message}\n`)
    return false
  }
}

async function runSuite(report: Report, signal: AbortSignal, options: TestOptions): Promise<boolean> {
  const { suite, patterns, changed } = options
  Object.assign(process.env, suiteEnvironment(options))
  const journal = openJournal(options)
  // The tests inherit it: the same seed repeats what they chose at random.
  if (suite === 'faults' || suite === 'release')
    process.env.GPUQ_TEST_SEED ??= String(journal?.seed ?? randomInt(1_000_000))
  const files = filesOfSuite(suite, await chooseFiles(options, signal))
  const scratch = createScratch()
  try {
    const runners = createRunners({ report, signal, scratch })
    const complete = patterns.length === 0 && !changed && suite !== 'hostile'
    const checks = chooseChecks({ suite, complete, files, withStatic: changed }, runners)
    if (checks.length === 0) throw new UsageError(describeNothing(options))
    const names = checks.map(({ name }) => name)
    const seed = process.env.GPUQ_TEST_SEED ? ` (GPUQ_TEST_SEED=${process.env.GPUQ_TEST_SEED})` : ''
    report.line(`\n  gpuq: ${complete && suite === 'test' ? 'every check' : names.join(', ')}${seed}\n`)
    const rowFiles = new Set(hostileFiles())
    const isKept = ({ file }: Outcome) => rowFiles.has(file)
    const results = await new CheckRun({ report, signal, checks, journal, isKept }).run()
    const outcomes = results.flatMap((result) => result.outcomes)
    if (complete) noteTimes(report, results, outcomes)
    const hostile = suite === 'hostile' || journal ? noteHostile(outcomes) : null
    if (hostile) report.line(`\n  ${hostile.text}`)
    if (journal) report.line(`\n  Report: ${journal.writeReport(names, hostile ? [hostile.text] : [])}`)
    const passed = summariseResults(report, results)
    return passed && hostile?.passed !== false
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A complete run of the release suite is kept, so that it can be continued. */
function openJournal({ suite, patterns, restart }: TestOptions): ReleaseJournal | undefined {
  if (suite !== 'release' || patterns.length > 0) return undefined
  const code = { ...(identifyCode() ?? { commit: '', changes: '' }), node: process.version }
  const seed = Number(process.env.GPUQ_TEST_SEED ?? randomInt(1_000_000))
  return ReleaseJournal.open(root, { code, machine: describeMachine(), seed, now: new Date(), restart })
}

async function chooseFiles(
  { suite, patterns, changed }: TestOptions,
  signal: AbortSignal,
): Promise<Map<Kind, string[]>> {
  if (suite === 'hostile') return selectTests(root, hostileFiles())
  if (!changed) return selectTests(root, patterns)
  const base = baseOnMain()
  if (base === null) throw new UsageError('--changed needs a checkout of git with a branch main.')
  return testsOfChange(base, changedFiles(base), signal)
}

function describeNothing({ suite, patterns }: TestOptions): string {
  const hint =
    suite === 'test' ? ' npm run test:release -- PATTERN finds those of the release suite too.' : ''
  return `No test file's path contains ${patterns.join(' or ')}.${hint}`
}

/** Keeps the times of a complete run, shows the slowest tests, and names new container tests that are too slow. */
function noteTimes(report: Report, results: readonly CheckResult[], outcomes: readonly Outcome[]): void {
  const path = writeTimes(
    root,
    results.map(({ name, ms }) => ({ name, ms })),
    outcomes,
    new Date(),
  )
  report.line(['\n  The slowest tests:', ...describeSlowest(outcomes).map((line) => `  ${line}`)].join('\n'))
  report.line(`  All times: ${path}`)
  const base = earlierCode()
  if (base === null) return
  for (const test of findSlowNewTests(outcomes, (file) => readAt(base, file)))
    report.warn(describeSlowNewTest(test))
}

/** The code with which a run is compared: that of `main`, or on `main` that before the last change. Null: unknown. */
function earlierCode(): string | null {
  const code = identifyCode()
  const base = code && baseOnMain()
  return code && base === code.commit ? lastBase() : base
}

/** Prints the results, with the totals in the last line. Returns whether all passed. */
function summariseResults(report: Report, results: readonly CheckResult[]): boolean {
  const steps = results.map(({ name, counts, ms }) => ({ name, counts, time: formatDuration(ms) }))
  const { table, last, failed } = summarise(steps)
  report.line(`\n${table}\n\n${last}`)
  return failed === 0
}

function noteHostile(outcomes: readonly Outcome[]): { text: string; passed: boolean } {
  const summary = summariseHostile(readHostileRows(), outcomes, new Date())
  writeSummary(root, summary)
  return {
    text: `Hostile jobs and requests: ${describeSummary(summary)}`,
    passed: summary.rows.every((row) => row.passed),
  }
}
