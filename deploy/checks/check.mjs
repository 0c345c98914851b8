/**
 * `npm run check`: the quick checks before a commit. Format, lint and types for all files, and the unit tests that the
 * change can affect. `npm run check -- COMMIT` takes all changes since a commit, such as `main`.
 */
import { execFileSync } from 'node:child_process'
import { npmCommand } from '../package/install.mjs'
import { prepareClient, preparePackages } from '../run/prepare.mjs'
import { CommandFailed, runCommand } from '../run/processes.mjs'
import { createReport, formatDuration } from '../run/report.mjs'
import { root } from '../run/settings.mjs'
import { Stopped, stopOnSignals } from '../run/signals.mjs'

const report = createReport()
const signal = stopOnSignals({ onFirst: () => {}, onSecond: () => process.exit(130) })

/** The base of the uncommitted changes. In a clean checkout: the base of the last commit. */
function defaultBase() {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  return changes.trim() ? 'HEAD' : 'HEAD~1'
}

/**
 * @param {string} title
 * @param {string[]} script one of package.json's scripts, and its arguments
 * @returns {Promise<string | null>} its output if it failed
 */
async function check(title, script) {
  /** @type {string[]} */
  const lines = []
  const work = async (/** @type {(note: string) => void} */ progress) => {
    try {
      await runCommand(...npmCommand(['run', '--silent', ...script]), {
        cwd: root,
        env: { ...process.env, NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1' },
        signal,
        onLine(line) {
          lines.push(line)
          progress(line.trim())
        },
      })
      return true
    } catch (error) {
      if (error instanceof CommandFailed) return false
      throw error
    }
  }
  const passed = await report.step(title, work, undefined, (passed) => passed)
  return passed ? null : lines.join('\n')
}

async function main() {
  const base = process.argv[2] ?? defaultBase()
  const started = performance.now()
  await preparePackages({ report, signal })
  await prepareClient({ report, signal })
  const results = await Promise.all([
    check('Format and lint', ['lint']),
    check('Types', ['types']),
    check(`Unit tests of what changed since ${base}`, [
      'test:unit',
      '--',
      '--changed',
      base,
      '--passWithNoTests',
    ]),
  ])
  const failures = results.filter((result) => result !== null)
  for (const output of failures) report.line(`\n${output}`)
  const time = formatDuration(performance.now() - started)
  report.line(
    failures.length === 0
      ? `\n  All checks passed in ${time}.\n`
      : `\n  ${failures.length} of ${results.length} checks failed in ${time}. "npm run format" repairs format and import order.\n`,
  )
  return failures.length === 0
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1
  if (!(error instanceof Stopped)) process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
}
process.exit()
