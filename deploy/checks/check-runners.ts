/** How `npm test` runs each kind of check. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, buildIsFresh } from '../package/build.mjs'
import { npmCommand } from '../package/install.mjs'
import { runCommand } from '../run/processes.mjs'
import { formatDuration, type Progress, type Report } from '../run/report.mjs'
import { root } from '../run/settings.mjs'
import {
  type Counts,
  countPlaywright,
  countVitest,
  type Outcome,
  outcomesOfPlaywright,
  outcomesOfVitest,
  type PlaywrightReport,
  type VitestReport,
} from './test-reports'
import { withDirectory } from './test-scratch'

/** How many lines of a failed check's output are shown. */
const shownLines = 400
/** A check that takes this long hangs, even if other programs keep the machine busy. */
const longestMs = 120 * 60_000
const unreadable: CheckReport = {
  counts: { passed: 0, failed: 1, problems: ['the runner ended before it could report'] },
  outcomes: [],
}

function readReport<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

interface RunnerOptions {
  report: Report
  signal: AbortSignal
  scratch: string
}

/** What a check found. */
export interface CheckReport {
  counts: Counts
  /** Its tests. Empty if it has none. */
  outcomes: Outcome[]
}

export type Runner = (progress: Progress) => Promise<CheckReport>

/** Creates the functions that run each kind of check. */
export function createRunners({ report, signal, scratch }: RunnerOptions) {
  /** Distinguishes the directories of checks that run the same kind of tests. */
  let runs = 0

  /** Runs a program, and shows its output if it fails. Returns whether it succeeded. */
  async function run(
    command: [command: string, args: string[]],
    progress: Progress,
    env: Record<string, string> = {},
  ): Promise<boolean> {
    const lines: string[] = []
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

  /** Runs one of package.json's scripts as one check. */
  const script =
    (name: string): Runner =>
    async (progress) => {
      const passed = await run(npmCommand(['run', '--silent', name]), progress)
      return { counts: { passed: passed ? 1 : 0, failed: passed ? 0 : 1, problems: [] }, outcomes: [] }
    }

  /** Runs a check that creates databases, workers and containers, and removes those that it left behind. */
  const clearing = (check: string, work: (directory: string) => Promise<boolean>) =>
    withDirectory(scratch, check, work, report.warn)

  /** Runs test files of the projects. Without files: all of them. */
  const vitest =
    (kind: string, files: readonly string[], projects = [kind]): Runner =>
    async (progress) => {
      const name = `${kind}${runs++}`
      const file = join(scratch, `${name}.json`)
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
      const program = join(root, 'node_modules', 'vitest', 'vitest.mjs')
      const args = ['run', ...projects.map((project) => `--project=${project}`), ...reporters, ...files]
      const exitedWell = await clearing(name, (TMPDIR) =>
        run([process.execPath, [program, ...args]], progress, { TMPDIR }),
      )
      const result = readReport<VitestReport>(file)
      if (!result) return unreadable
      return {
        counts: countVitest(result, exitedWell),
        outcomes: outcomesOfVitest(result.testResults, root),
      }
    }

  /** Runs browser tests. Without files: all of them. */
  const playwright =
    (files: readonly string[]): Runner =>
    async (progress) => {
      const file = join(scratch, 'e2e.json')
      const args = ['run', '--silent', 'test:e2e', '--', '--reporter=list,json', ...files]
      const exitedWell = await clearing('e2e', (TMPDIR) =>
        run(npmCommand(args), progress, { PLAYWRIGHT_JSON_OUTPUT_FILE: file, TMPDIR }),
      )
      const result = readReport<PlaywrightReport>(file)
      if (!result) return unreadable
      return { counts: countPlaywright(result, exitedWell), outcomes: outcomesOfPlaywright(result) }
    }

  const buildAll: Runner = async (progress) => {
    if (!buildIsFresh()) await build({ progress, signal })
    return { counts: { passed: 1, failed: 0, problems: [] }, outcomes: [] }
  }

  return { script, vitest, playwright, buildAll }
}
