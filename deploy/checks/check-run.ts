/** Runs checks, each as soon as its prerequisites are ready. A check that cannot run fails with the reason. */
import { formatDuration, type Report } from '../run/report.mjs'
import type { Check } from './checks'
import { Preparations } from './preparations'
import type { JournalEntry, ReleaseJournal } from './release-journal'
import { runScheduled } from './schedule'
import type { Counts, Outcome } from './test-reports'

/** Docker tests mostly wait, and the other tests mostly compute: two checks at a time keep two cores busy. */
const places = 2

export interface CheckResult {
  name: string
  counts: Counts
  /** In milliseconds. */
  ms: number
  outcomes: readonly Outcome[]
}

interface CheckRunOptions {
  report: Report
  signal: AbortSignal
  checks: readonly Check[]
  /** Keeps the results of the release suite; undefined: another suite. */
  journal?: ReleaseJournal | undefined
  /** Which outcomes the journal keeps. */
  isKept: (outcome: Outcome) => boolean
}

export class CheckRun {
  readonly #options: CheckRunOptions
  /** Why a preparation or a check failed. The checks that need it fail with the same reason. */
  readonly #failures = new Map<string, string>()

  constructor(options: CheckRunOptions) {
    this.#options = options
  }

  /** Runs all checks. A failure does not prevent the others. */
  async run(): Promise<CheckResult[]> {
    const { report, signal, checks, journal } = this.#options
    // A build that is still there takes no time, and a removed one is needed again.
    const earlierOf = ({ name }: Check) => (name === 'build' ? undefined : journal?.findPassed(name))
    const waiting = checks.filter((check) => earlierOf(check) === undefined)
    const needed = new Set<string>(waiting.flatMap(({ needs }) => needs))
    const preparations = new Preparations({
      report,
      signal,
      needed,
      onFailure: (name, error) => this.#noteFailure(name, error),
    })
    const prepared = preparations.start()
    const scheduled = checks.map((check) => ({
      name: check.name,
      after: [...check.needs, ...(check.after ?? [])],
      run: async () => {
        const earlier = earlierOf(check)
        return earlier === undefined ? this.#run(check) : this.#reuse(earlier)
      },
    }))
    try {
      return await runScheduled(scheduled, prepared, places)
    } finally {
      await Promise.allSettled(prepared.values())
      await preparations.stop()
    }
  }

  /** Takes the result of an earlier, interrupted run. */
  #reuse({ name, passed, failed, problems, ms, outcomes }: JournalEntry): CheckResult {
    this.#options.report.line(`  ✓ ${name}: ${passed} passed  earlier, in ${formatDuration(ms)}`)
    return { name, counts: { passed, failed, problems }, ms, outcomes }
  }

  async #run(check: Check): Promise<CheckResult> {
    const { signal, report, journal, isKept } = this.#options
    signal.throwIfAborted()
    const started = performance.now()
    const { counts, outcomes } = await report.step(
      check.name,
      (progress) => this.#tryTo(check, progress),
      ({ counts: { passed, failed } }) =>
        failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`,
      ({ counts: { failed } }) => failed === 0,
    )
    const ms = Math.round(performance.now() - started)
    const date = new Date().toISOString()
    journal?.record({ name: check.name, date, ms, ...counts, outcomes: outcomes.filter(isKept) })
    return { name: check.name, counts, ms, outcomes }
  }

  async #tryTo({ name, needs, run }: Check, progress: (note: string) => void) {
    const failed = needs.find((need) => this.#failures.has(need))
    const result =
      failed === undefined
        ? await run(progress).catch((error: unknown) => this.#noteFailure(name, error))
        : undefined
    if (result?.counts.failed === 0) return result
    const reason = this.#failures.get(failed ?? name) ?? ''
    this.#failures.set(name, `${name} failed`)
    const problems = [`could not run: ${reason.split('\n')[0]}`]
    return result ?? { counts: { passed: 0, failed: 1, problems }, outcomes: [] }
  }

  /** Records and prints a failure. @throws after Ctrl-C. */
  #noteFailure(name: string, error: unknown): undefined {
    this.#options.signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    this.#failures.set(name, message)
    this.#options.report.line(`\n${message}\n`)
  }
}
