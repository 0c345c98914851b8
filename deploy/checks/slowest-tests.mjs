/** Which tests of a run took longest. */

/**
 * @typedef {{ name: string, ms: number }} Timed
 *
 * @typedef {object} VitestTimes
 * @property {{ name: string, assertionResults: { fullName?: string, duration?: number | null }[] }[]} testResults
 *
 * @typedef {object} Suite
 * @property {string} [file]
 * @property {Suite[]} [suites]
 * @property {{ title: string, file: string, tests: { results: { duration: number }[] }[] }[]} [specs]
 */

/**
 * @param {VitestTimes} report
 * @param {string} root what paths are told relative to
 * @returns {Timed[]}
 */
export function timesOfVitest({ testResults }, root) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName = '', duration }) => ({
      name: `${name.replace(`${root}/`, '')}: ${fullName}`,
      ms: duration ?? 0,
    })),
  )
}

/**
 * @param {{ suites?: Suite[] }} report
 * @returns {Timed[]}
 */
export function timesOfPlaywright({ suites = [] }) {
  return suites.flatMap((suite) => [
    ...timesOfPlaywright(suite),
    ...(suite.specs ?? []).flatMap(({ title, file, tests }) =>
      tests.flatMap(({ results }) =>
        results.map(({ duration }) => ({ name: `e2e/${file}: ${title}`, ms: duration })),
      ),
    ),
  ])
}

/**
 * The tests that took longest, the slowest first.
 * @param {Timed[]} tests
 * @param {number} most
 */
export function slowest(tests, most) {
  return [...tests].sort((a, b) => b.ms - a.ms).slice(0, most)
}
