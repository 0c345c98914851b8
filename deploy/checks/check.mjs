/**
 * `npm run check`: the quick checks before a commit. Format and lint of the changed files, imports and types of all files,
 * and the unit tests that the change can affect, up to a limit. `npm run check -- COMMIT` takes all changes since a commit, such as `main`.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { prepareClient, preparePackages, prepareRouteTypes } from '../run/prepare.mjs'
import { CommandFailed, runCommand } from '../run/processes.mjs'
import { createReport, formatDuration } from '../run/report.mjs'
import { root } from '../run/settings.mjs'
import { Stopped, stopOnSignals } from '../run/signals.mjs'
import { changedFiles, lastBase } from './git-changes.mjs'
import { nearestTests } from './nearest-tests.mjs'

const unitProjects = ['--project', 'unit', '--project', 'component']
/** As in `npm run lint`. */
const importRules = '--config .dependency-cruiser.cjs app components lib worker cli deploy e2e'.split(' ')
/** More related test files than this take longer than the other checks. */
const mostTestFiles = 20

const report = createReport()
const signal = stopOnSignals({ onFirst: () => {}, onSecond: () => process.exit(130) })

/**
 * Checks the format, the lint rules and the imports. A change of the rules or of the tool affects all files.
 * @param {string} base
 */
async function checkLint(base) {
  const changed = changedFiles(base).filter((path) => existsSync(join(root, path)))
  const all = changed.some((path) => path === 'biome.json' || path === 'package-lock.json')
  const [format, imports] = await Promise.all([
    check('Format and lint', [
      '@biomejs/biome/bin/biome',
      'check',
      '--no-errors-on-unmatched',
      ...(all ? ['.'] : changed),
    ]),
    check('Imports', ['dependency-cruiser/bin/dependency-cruise.mjs', ...importRules]),
  ])
  return [format, imports]
}

/**
 * The unit tests that import a file changed since `base`.
 * @param {string} base
 * @returns {Promise<string[]>}
 */
async function relatedTests(base) {
  const list = join(tmpdir(), `gpuq-related-tests-${process.pid}.json`)
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  try {
    await runCommand(
      process.execPath,
      [vitest, 'list', '--filesOnly', `--json=${list}`, ...unitProjects, '--changed', base],
      { label: 'vitest list', cwd: root, signal },
    )
    /** @type {{ file: string }[]} */
    const found = JSON.parse(readFileSync(list, 'utf8'))
    return found.map(({ file }) => relative(root, file).split(sep).join('/'))
  } finally {
    rmSync(list, { force: true })
  }
}

/**
 * Runs the unit tests nearest to the change, and says how many others it left out.
 * @param {string} base
 * @returns {Promise<string | null>} what it printed, when it failed
 */
async function checkTests(base) {
  const related = await relatedTests(base)
  if (related.length === 0) return null
  const chosen = nearestTests(related, changedFiles(base), mostTestFiles)
  const result = await check(`Unit tests of what changed since ${base}`, [
    'vitest/vitest.mjs',
    'run',
    ...unitProjects,
    ...chosen,
  ])
  if (chosen.length < related.length) {
    report.line(
      `    ran the nearest ${chosen.length} of ${related.length} related test files; ` +
        `run all of them: npm run test:unit -- --changed ${base}`,
    )
  }
  return result
}

/**
 * @param {string} title
 * @param {string[]} program its path in node_modules, and its arguments
 * @returns {Promise<string | null>} its output if it failed
 */
async function check(title, [program = '', ...args]) {
  /** @type {string[]} */
  const lines = []
  const work = async (/** @type {(note: string) => void} */ progress) => {
    try {
      await runCommand(process.execPath, [join(root, 'node_modules', program), ...args], {
        label: title,
        cwd: root,
        env: { ...process.env, NO_COLOR: '1' },
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
  const base = process.argv[2] ?? lastBase()
  const started = performance.now()
  await preparePackages({ report, signal })
  await prepareClient({ report, signal })
  await prepareRouteTypes({ report, signal })
  const results = (
    await Promise.all([
      checkLint(base),
      check('Types', ['typescript-7/bin/tsc', '--noEmit']),
      checkTests(base),
    ])
  ).flat()
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
