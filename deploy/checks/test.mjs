/**
 * `npm test`: makes ready what is missing, and runs every check as soon as what it needs is there. A check that cannot
 * run fails with the reason; a failing one hides none of the others. The last line is the count.
 *
 * `npm test -- PATTERN` runs only the test files whose path contains the pattern. `--faults` runs the repeated faults.
 */
import { rmSync } from 'node:fs'
import { createReport, formatDuration } from '../run/report.mjs'
import { readSettings, root } from '../run/settings.mjs'
import { stopOnSignals } from '../run/signals.mjs'
import { createRunners } from './check-runners.mjs'
import { beginPreparing } from './prepare-checks.mjs'
import { runScheduled } from './schedule.mjs'
import { selectTests } from './select-tests.mjs'
import { slowest } from './slowest-tests.mjs'
import { summarise } from './test-counts.mjs'
import { createScratch } from './test-scratch.mjs'

/**
 * @typedef {import('./test-counts.mjs').Counts} Counts
 * @typedef {import('../engine/engine.mjs').Engine} Engine
 */

const report = createReport()
const signal = stopOnSignals({
  onFirst: () => report.line('\n  Stopping.'),
  onSecond: () => process.exit(130),
})
const scratch = createScratch()
const args = process.argv.slice(2)
const patterns = args.filter((arg) => arg !== '--faults')
const selected = selectTests(root, patterns)
/** Docker tests wait most of the time, and the others compute: two checks at a time keep two cores busy. */
const places = 2
const shownSlowest = 10

const { script, vitest, playwright, buildAll, times } = createRunners({
  report,
  signal,
  scratch,
  filesOf: (kind) => (patterns.length > 0 ? (selected.get(kind) ?? []) : []),
})

/** What could not be made ready, and why: the checks that need it fail with that. @type {Map<string, string>} */
const missing = new Map()

/**
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
async function prepare(name, work) {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    missing.set(name, message)
    report.line(`\n${message}\n`)
    return undefined
  }
}

/**
 * In the order in which they start, where what they need is there. `after`: both write to .next.
 * @type {{ name: string, needs: string[], after?: string[], run: (progress: (note: string) => void) => Promise<Counts> }[]}
 */
const all = [
  { name: 'docker', needs: ['packages', 'client', 'engine', 'image'], run: vitest('docker') },
  { name: 'faults', needs: ['packages', 'client', 'engine', 'image'], run: vitest('faults') },
  { name: 'lint', needs: ['packages', 'client'], run: script('lint') },
  { name: 'types', needs: ['packages', 'client'], run: script('types') },
  { name: 'build', needs: ['packages', 'client'], after: ['types'], run: buildAll },
  { name: 'e2e', needs: ['packages', 'client', 'engine', 'image', 'browser', 'build'], run: playwright },
  { name: 'unit', needs: ['packages', 'client'], run: vitest('unit', ['unit', 'component']) },
  { name: 'db', needs: ['packages', 'client'], run: vitest('db') },
]

/** @returns {typeof all} */
function chooseChecks() {
  if (args.includes('--faults')) return all.filter(({ name }) => name === 'faults')
  if (patterns.length === 0) return all.filter(({ name }) => name !== 'faults')
  return all.filter(
    ({ name }) => name !== 'faults' && (selected.has(name) || (name === 'build' && selected.has('e2e'))),
  )
}
const checks = chooseChecks()

/**
 * @param {(typeof checks)[number]} check
 * @param {(note: string) => void} progress
 * @returns {Promise<Counts>}
 */
async function runCheck({ name, needs, run }, progress) {
  const reason = needs.map((need) => missing.get(need)).find((text) => text !== undefined)
  const cannot = (/** @type {string} */ why) => ({
    passed: 0,
    failed: 1,
    problems: [`could not run: ${why.split('\n')[0]}`],
  })
  if (reason !== undefined) return cannot(reason)
  try {
    const counts = await run(progress)
    if (counts.failed > 0) missing.set(name, `${name} failed`)
    return counts
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    missing.set(name, `${name} failed`)
    report.line(`\n${message}\n`)
    return cannot(message)
  }
}

/** @param {Map<string, Promise<unknown>>} prepared */
function runChecks(prepared) {
  const scheduled = checks.map((check) => ({
    name: check.name,
    after: [...check.needs, ...(check.after ?? [])],
    async run() {
      signal.throwIfAborted()
      const started = performance.now()
      const counts = await report.step(
        check.name,
        (progress) => runCheck(check, progress),
        ({ passed, failed }) => (failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`),
        ({ failed }) => failed === 0,
      )
      return { name: check.name, counts, time: formatDuration(performance.now() - started) }
    },
  }))
  return runScheduled(scheduled, prepared, places)
}

async function main() {
  const { dataDir } = readSettings(process.env)
  /** @type {Engine | undefined} */
  let engine
  if (checks.length === 0) throw new Error(`No test file's path contains ${patterns.join(' or ')}.`)
  report.line(
    `\n  gpuq: ${patterns.length > 0 || args.includes('--faults') ? checks.map(({ name }) => name).join(', ') : 'every check'}\n`,
  )
  try {
    const needed = new Set(checks.flatMap(({ needs }) => needs))
    const prepared = beginPreparing({
      report,
      signal,
      dataDir,
      needed,
      attempt: prepare,
      onEngine(found) {
        engine = found
      },
    })
    try {
      return summarise(await runChecks(prepared))
    } finally {
      await Promise.allSettled(prepared.values())
    }
  } finally {
    if (engine?.ours) {
      const left = await report.step('Docker engine stopped', engine.stop)
      if (left) report.warn(left)
    }
  }
}

try {
  const { table, last, failed } = await main()
  const lines = slowest(times, shownSlowest).map(
    ({ name, ms }) => `  ${formatDuration(ms).padStart(12)}  ${name}`,
  )
  if (lines.length > 0) report.line(['\n  The slowest tests:', ...lines].join('\n'))
  report.line(`\n${table}\n\n${last}`)
  process.exitCode = failed > 0 ? 1 : 0
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1
  if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exit()
