/** Which of many related tests the quick check runs. */

/**
 * The test files that share the longest path with a changed file, nearest first. A test beside the change is the most
 * likely one to fail.
 * @param {string[]} tests
 * @param {string[]} changed
 * @param {number} most
 */
export function nearestTests(tests, changed, most) {
  const nearness = (/** @type {string} */ test) =>
    Math.max(0, ...changed.map((path) => sharedParts(test, path)))
  return [...tests].sort((a, b) => nearness(b) - nearness(a) || a.localeCompare(b)).slice(0, most)
}

/**
 * How many leading parts two paths share. A test counts as the file that it is named after.
 * @param {string} test
 * @param {string} path
 */
function sharedParts(test, path) {
  const [a, b] = [test.replace('.test.', '.').split('/'), path.split('/')]
  const different = a.findIndex((part, index) => part !== b[index])
  return different === -1 ? a.length : different
}
