/** How `npm test` runs each kind of check. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, buildIsFresh } from '../package/build.mjs'
import { npmCommand } from '../package/install.mjs'
import { runCommand } from '../run/processes.mjs'
import { formatDuration } from '../run/report.mjs'
import { root } from '../run/settings.mjs'
import { timesOfPlaywright, timesOfVitest } from './slowest-tests.mjs'
import { countPlaywright, countVitest } from './test-counts.mjs'
import { withDirectory } from './test-scratch.mjs'

/** @typedef {import('./test-counts.mjs').Counts} Counts */

/** More of a failed check's output than this helps nobody; its end is what tells. */
const shownLines = 400
/** A check that takes so long hangs, even where other programs keep the machine busy. */
const longestMs = 120 * 60_000
/** @type {Counts} */
const unreadable = { passed: 0, failed: 1, problems: ['the runner ended before it could report'] }

/**
 * @param {string} path
 * @returns {any}
 */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/**
 * @param {object} options
 * @param {import('../run/report.mjs').Report} options.report
 * @param {AbortSignal} options.signal
 * @param {string} options.scratch
 * @param {(kind: string) => string[]} options.filesOf the only test files to run; none: all
 */
export function createRunners({ report, signal, scratch, filesOf }) {
  /** How long each test took. @type {import('./slowest-tests.mjs').Timed[]} */
  const times = []

  /**
   * Runs a program, and shows its output when it fails.
   * @param {[command: string, args: string[]]} command
   * @param {(note: string) => void} progress
   * @param {NodeJS.ProcessEnv} [env]
   * @returns {Promise<boolean>} whether it ended well
   */
  async function run(command, progress, env = {}) {
    /** @type {string[]} */
    const lines = []
    const limit = AbortSignal.timeout(longestMs)
    try {
      await runCommand(...command, {
        cwd: root,
        env: { ...process.env, CI: '1', NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', ...env },
        signal: AbortSignal.any([signal, limit]),
        onLine(line) {
          lines.push(line)
          progress(line.trim())
        },
      })
      return true
    } catch {
      signal.throwIfAborted()
      if (limit.aborted) lines.push(`Stopped: it took longer than ${formatDuration(longestMs)}.`)
      report.line(['', ...lines.slice(-shownLines).map((line) => `    ${line}`), ''].join('\n'))
      return false
    }
  }

  /**
   * A check that either holds or not: one of package.json's scripts.
   * @param {string} script
   * @returns {(progress: (note: string) => void) => Promise<Counts>}
   */
  const script = (script) => async (progress) => {
    const holds = await run(npmCommand(['run', '--silent', script]), progress)
    return { passed: holds ? 1 : 0, failed: holds ? 0 : 1, problems: [] }
  }

  /**
   * Runs what makes databases, workers and containers, and ends what it left: all of it, where it was ended itself.
   * @param {string} check
   * @param {(directory: string) => Promise<boolean>} work
   */
  const clearing = (check, work) => withDirectory(scratch, check, work, report.warn)

  /**
   * @param {string} kind
   * @param {string[]} projects
   */
  const vitest =
    (kind, projects = [kind]) =>
    async (/** @type {(note: string) => void} */ progress) => {
      const file = join(scratch, `${kind}.json`)
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
      const program = join(root, 'node_modules', 'vitest', 'vitest.mjs')
      /** @type {[string, string[]]} */
      const command = [
        process.execPath,
        [program, 'run', ...projects.map((name) => `--project=${name}`), ...reporters, ...filesOf(kind)],
      ]
      const exitedWell = await clearing(kind, (TMPDIR) => run(command, progress, { TMPDIR }))
      const result = readReport(file)
      if (!result) return unreadable
      times.push(...timesOfVitest(result, root))
      return countVitest(result, exitedWell)
    }

  async function playwright(/** @type {(note: string) => void} */ progress) {
    const file = join(scratch, 'e2e.json')
    const command = npmCommand([
      'run',
      '--silent',
      'test:e2e',
      '--',
      '--reporter=list,json',
      ...filesOf('e2e'),
    ])
    const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: file }
    const exitedWell = await clearing('e2e', (TMPDIR) => run(command, progress, { ...env, TMPDIR }))
    const result = readReport(file)
    if (!result) return unreadable
    times.push(...timesOfPlaywright(result))
    return countPlaywright(result, exitedWell)
  }

  async function buildAll(/** @type {(note: string) => void} */ progress) {
    if (!buildIsFresh()) await build({ progress, signal })
    return { passed: 1, failed: 0, problems: [] }
  }

  return { script, vitest, playwright, buildAll, times }
}
