/**
 * `npm test`: makes ready what is missing, then runs every check. A check that cannot run fails with the reason;
 * a failing one hides none of the others. The last line is the count.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, buildIsFresh, generateClient } from '../package/build.mjs'
import { npmCommand } from '../package/install.mjs'
import { prepareEngine, prepareImage, preparePackages } from '../run/prepare.mjs'
import { runCommand } from '../run/processes.mjs'
import { createReport, formatDuration } from '../run/report.mjs'
import { readSettings, root } from '../run/settings.mjs'
import { stopOnSignals } from '../run/signals.mjs'
import { ensureBrowser } from './browser.mjs'
import { countPlaywright, countVitest, summarise } from './test-counts.mjs'
import { createScratch, withDirectory } from './test-scratch.mjs'

/**
 * @typedef {import('./test-counts.mjs').Counts} Counts
 * @typedef {import('../engine/engine.mjs').Engine} Engine
 */

/** More of a failed check's output than this helps nobody; its end is what tells. */
const shownLines = 400
/** A check that takes so long hangs: the longest takes 17 minutes on two quiet cores, and others may keep those busy. */
const longestMs = 120 * 60_000

const report = createReport()
const signal = stopOnSignals({
  onFirst: () => report.line('\n  Stopping.'),
  onSecond: () => process.exit(130),
})
const scratch = createScratch()

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
 * Runs what makes databases, workers and containers, and ends what it left: all of it, where it was ended itself.
 * @param {string} check
 * @param {(directory: string) => Promise<boolean>} work
 */
const clearing = (check, work) => withDirectory(scratch, check, work, report.warn)

/** @type {Counts} */
const unreadable = { passed: 0, failed: 1, problems: ['the runner ended before it could report'] }

/** @param {string} project */
const vitest = (project) => async (/** @type {(note: string) => void} */ progress) => {
  const file = join(scratch, `${project}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const command = npmCommand(['run', '--silent', `test:${project}`, '--', ...reporters])
  const exitedWell = await clearing(project, (TMPDIR) => run(command, progress, { TMPDIR }))
  const result = readReport(file)
  return result ? countVitest(result, exitedWell) : unreadable
}

async function playwright(/** @type {(note: string) => void} */ progress) {
  const file = join(scratch, 'e2e.json')
  const command = npmCommand(['run', '--silent', 'test:e2e', '--', '--reporter=list,json'])
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: file }
  const exitedWell = await clearing('e2e', (TMPDIR) => run(command, progress, { ...env, TMPDIR }))
  const result = readReport(file)
  return result ? countPlaywright(result, exitedWell) : unreadable
}

async function buildAll(/** @type {(note: string) => void} */ progress) {
  if (!buildIsFresh()) await build({ progress, signal })
  return { passed: 1, failed: 0, problems: [] }
}

/** @type {{ name: string, needs: string[], run: (progress: (note: string) => void) => Promise<Counts> }[]} */
const checks = [
  { name: 'lint', needs: ['packages', 'client'], run: script('lint') },
  { name: 'types', needs: ['packages', 'client'], run: script('types') },
  { name: 'unit', needs: ['packages', 'client'], run: vitest('unit') },
  { name: 'db', needs: ['packages', 'client'], run: vitest('db') },
  { name: 'docker', needs: ['packages', 'client', 'engine', 'image'], run: vitest('docker') },
  { name: 'build', needs: ['packages', 'client'], run: buildAll },
  { name: 'e2e', needs: ['packages', 'client', 'engine', 'image', 'browser', 'build'], run: playwright },
]

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

async function runChecks() {
  const done = []
  for (const check of checks) {
    const started = performance.now()
    const counts = await report.step(
      check.name,
      (progress) => runCheck(check, progress),
      ({ passed, failed }) => (failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`),
      ({ failed }) => failed === 0,
    )
    done.push({ name: check.name, counts, time: formatDuration(performance.now() - started) })
  }
  return done
}

async function prepareHost(/** @type {string} */ dataDir, /** @type {(engine: Engine) => void} */ onEngine) {
  const engine = await prepare('engine', () => prepareEngine({ report, signal, dataDir }))
  if (engine) {
    onEngine(engine)
    await prepare('image', () => prepareImage({ report, signal, dataDir }, engine))
  }
  const browser = await prepare('browser', () =>
    report.step(
      'Browser',
      (progress) => ensureBrowser({ progress }),
      (path) => path,
    ),
  )
  if (browser) process.env.CHROMIUM_PATH = browser
}

async function preparePrograms() {
  await prepare('packages', () => preparePackages({ report, signal }))
  await prepare('client', () =>
    report.step('Prisma client', () => generateClient({ progress: () => {}, signal })),
  )
}

async function main() {
  const { dataDir } = readSettings(process.env)
  /** @type {Engine | undefined} */
  let engine
  report.line('\n  gpuq: every check\n')
  try {
    const host = prepareHost(dataDir, (found) => {
      engine = found
    })
    await Promise.allSettled([host, preparePrograms()])
    signal.throwIfAborted()
    return summarise(await runChecks())
  } finally {
    if (engine?.ours) {
      const left = await report.step('Docker engine stopped', engine.stop)
      if (left) report.warn(left)
    }
  }
}

try {
  const { table, last, failed } = await main()
  report.line(`\n${table}\n\n${last}`)
  process.exitCode = failed > 0 ? 1 : 0
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1
  if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exit()
