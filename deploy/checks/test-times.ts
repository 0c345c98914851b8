/** Keeps how long each test took, and finds tests that are too slow for `npm test`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatDuration } from '../run/report.mjs'
import { declaresTest } from './declared-tests'
import { isReleaseOnly, kindOf } from './select-tests'
import { type Outcome, slowest } from './test-reports'

/** A check, and how long it ran, in milliseconds. */
export interface CheckTime {
  name: string
  ms: number
}

const shownSlowest = 10
/** A new container test that takes longer belongs to the release suite, unless nothing else tests its guarantee. */
const longestContainerTestMs = 20_000

/**
 * Writes `test-results/times.json`: the checks, and the tests with the slowest first.
 * @returns the path
 */
export function writeTimes(
  root: string,
  checks: readonly CheckTime[],
  tests: readonly Outcome[],
  date: Date,
) {
  const path = join(root, 'test-results', 'times.json')
  const rows = slowest(tests, tests.length).map(({ file, fullTitle, ms }) => ({ file, test: fullTitle, ms }))
  mkdirSync(dirname(path), { recursive: true })
  const times = { date: date.toISOString(), node: process.version, checks, tests: rows }
  writeFileSync(path, `${JSON.stringify(times, null, 1)}\n`)
  return path
}

/** The slowest tests, as lines. */
export function describeSlowest(tests: readonly Outcome[]): string[] {
  return slowest(tests, shownSlowest).map(
    ({ file, fullTitle, ms }) => `${formatDuration(ms).padStart(12)}  ${file}: ${fullTitle}`,
  )
}

/**
 * Finds container tests that take too long and that an earlier version of the code does not have.
 * @param readEarlier reads a file of the earlier version; null: it did not exist
 */
export function findSlowNewTests(
  tests: readonly Outcome[],
  readEarlier: (file: string) => string | null,
): Outcome[] {
  const slow = tests.filter(isTooSlow)
  return slow.filter(({ file, title }) => !declaresTest(readEarlier(file) ?? '', title))
}

function isTooSlow({ file, ms }: Outcome): boolean {
  return kindOf(file) === 'docker' && !isReleaseOnly(file) && ms > longestContainerTestMs
}

/** What to do about a container test that is new and slow. */
export function describeSlowNewTest({ file, fullTitle, ms }: Outcome): string {
  return (
    `${file}: "${fullTitle}" is new and took ${formatDuration(ms)}. Make it faster, test the guarantee on the fake ` +
    'runtime, or rename the file to .release.test.ts if another test has the guarantee.'
  )
}
