/** Runs checks beside each other, each once what it needs is there. */

/**
 * @template T
 * @typedef {object} Scheduled
 * @property {string} name
 * @property {string[]} after what has to have come to its end first, well or not: preparations and other checks
 * @property {() => Promise<T>} run never rejects, but to end all
 */

/**
 * Starts the first check of the list whose prerequisites are settled whenever a place is free.
 * @template T
 * @param {Scheduled<T>[]} checks
 * @param {Map<string, Promise<unknown>>} prepared
 * @param {number} places
 * @returns {Promise<T[]>} in the order of the list
 */
export async function runScheduled(checks, prepared, places) {
  const settled = new Set()
  let wake = () => {}
  const settle = (/** @type {string} */ name) => {
    settled.add(name)
    wake()
  }
  for (const [name, promise] of prepared) {
    const end = () => settle(name)
    promise.then(end, end)
  }
  /** @type {Map<Scheduled<T>, Promise<T>>} */
  const results = new Map()
  /** @type {unknown[]} */
  const failures = []
  let running = 0
  const waits = (/** @type {string} */ name) =>
    !settled.has(name) && (prepared.has(name) || checks.some((check) => check.name === name))
  while (results.size < checks.length || running > 0) {
    const changed = new Promise((/** @type {(value: void) => void} */ resolve) => {
      wake = resolve
    })
    const next = checks.find((check) => !results.has(check) && !check.after.some(waits))
    if (running < places && next && failures.length === 0) {
      running += 1
      const result = next.run()
      results.set(next, result)
      const end = () => {
        running -= 1
        settle(next.name)
      }
      result.then(end, (error) => {
        failures.push(error)
        end()
      })
      continue
    }
    if (failures.length > 0 && running === 0) throw failures[0]
    await changed
  }
  return Promise.all(checks.map((check) => /** @type {Promise<T>} */ (results.get(check))))
}
