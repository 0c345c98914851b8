/** Reading what the test runners report. A test that did not run counts as failed: nothing is left out in silence. */

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} problems what is wrong beyond the failures that the runner itself shows
 *
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numTotalTests
 * @property {{ name: string, status: string, message?: string, assertionResults: unknown[] }[]} testResults
 *
 * @typedef {object} PlaywrightReport
 * @property {{ expected: number, unexpected: number, flaky: number, skipped: number }} stats
 * @property {{ message?: string }[]} errors
 */

/**
 * @param {VitestReport} report
 * @param {boolean} exitedWell
 * @returns {Counts}
 */
export function countVitest(report, exitedWell) {
  const { numPassedTests: passed, numFailedTests, numTotalTests } = report
  const problems = report.testResults
    .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
    .map(({ name, message }) => `${name} could not be run: ${(message ?? '').split('\n')[0]}`)
  let failed = numFailedTests + problems.length
  const skipped = numTotalTests - passed - numFailedTests
  if (skipped > 0) problems.push(`${skipped} skipped, which counts as failed`)
  failed += skipped
  return complete({ passed, failed, problems }, exitedWell)
}

/**
 * @param {PlaywrightReport} report
 * @param {boolean} exitedWell
 * @returns {Counts}
 */
export function countPlaywright({ stats, errors }, exitedWell) {
  const problems = errors.map(({ message }) => (message ?? 'an error without a message').split('\n')[0] ?? '')
  if (stats.skipped > 0) problems.push(`${stats.skipped} skipped, which counts as failed`)
  if (stats.flaky > 0) problems.push(`${stats.flaky} passed only when repeated, which counts as failed`)
  const failed = stats.unexpected + stats.skipped + stats.flaky + errors.length
  return complete({ passed: stats.expected, failed, problems }, exitedWell)
}

/**
 * What no count shows: a run of no tests, and one that ended badly although each of its tests passed.
 * @param {Counts} counts
 * @param {boolean} exitedWell
 * @returns {Counts}
 */
function complete({ passed, failed, problems }, exitedWell) {
  if (passed + failed === 0) return { passed, failed: 1, problems: [...problems, 'no test was run'] }
  if (failed === 0 && !exitedWell) {
    return {
      passed,
      failed: 1,
      problems: [...problems, 'every test passed, yet the run ended with an error'],
    }
  }
  return { passed, failed, problems }
}

/**
 * The table at the end, and the totals as the last line.
 * @param {{ name: string, counts: Counts, time: string }[]} steps
 */
export function summarise(steps) {
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
  const total = (/** @type {'passed' | 'failed'} */ key) =>
    steps.reduce((sum, { counts }) => sum + counts[key], 0)
  return {
    table: lines.join('\n'),
    last: `${total('passed')} passed, ${total('failed')} failed`,
    failed: total('failed'),
  }
}
