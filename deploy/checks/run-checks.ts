/** Prepares what the checks need, and runs each check as soon as its prerequisites are ready. */
import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Engine } from '../engine/engine.mjs'
import { generateClient } from '../package/build.mjs'
import { prepareEngine, prepareImage } from '../run/prepare.mjs'
import { formatDuration, type Report } from '../run/report.mjs'
import { readSettings, root } from '../run/settings.mjs'
import { ensureBrowser } from './browser.mjs'
import { createRunners, type Runner } from './check-runners'
import { hostileFiles, readHostileRows } from './hostile-rows'
import { describeSummary, summariseHostile, writeSummary } from './hostile-summary'
import { ensurePodman } from './podman.mjs'
import { runScheduled } from './schedule'
import { ensureScreen } from './screen.mjs'
import { selectTests } from './select-tests'
import { ensureSlurm } from './slurm.mjs'
import { type Counts, type Outcome, slowest, summarise } from './test-reports'
import { createScratch } from './test-scratch'

interface Check {
  name: string
  /** Preparations and checks that must succeed first. */
  needs: string[]
  /** Checks that must have ended, because both write to the same directory. */
  after?: string[]
  run: Runner
}

/** Docker tests mostly wait, and the other tests mostly compute: two checks at a time keep two cores busy. */
const places = 2
const shownSlowest = 10
/** Requests of the fuzzer in `npm run test:hostile`. */
const fuzzRequests = 5_000

/** The seed of all random choices of the tests: the given one, or a new one. The tests inherit it. */
function chooseSeed(): string {
  process.env.GPUQ_TEST_SEED ??= String(randomInt(1_000_000))
  return process.env.GPUQ_TEST_SEED
}

/** Runs the checks that the arguments select. Returns whether all passed. */
export async function runChecks(report: Report, signal: AbortSignal, args: string[]): Promise<boolean> {
  const scratch = createScratch()
  const hostile = args.includes('--hostile')
  if (hostile) process.env.GPUQ_FUZZ_REQUESTS ??= String(fuzzRequests)
  try {
    const checks = new CheckRun(report, signal, scratch, hostile ? hostileFiles() : args)
    const passed = await checks.run()
    if (!hostile) return passed
    const summary = summariseHostile(readHostileRows(), checks.outcomes, new Date())
    report.line(`\n  ${describeSummary(summary)}\n  ${writeSummary(root, summary)}`)
    return passed && summary.rows.every((row) => row.passed)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

class CheckRun {
  readonly #runners: ReturnType<typeof createRunners>
  readonly #title: string
  readonly #checks: Check[]
  /** Why a preparation or a check failed. The checks that need it fail with the same reason. */
  readonly #failures = new Map<string, string>()
  #engine: Engine | undefined

  constructor(
    readonly report: Report,
    readonly signal: AbortSignal,
    scratch: string,
    args: string[],
  ) {
    const patterns = args.filter((arg) => arg !== '--faults')
    const selected = selectTests(root, patterns)
    const filesOf = (kind: string) => (patterns.length > 0 ? (selected.get(kind) ?? []) : [])
    this.#runners = createRunners({ report, signal, scratch, filesOf })
    const isSelected = (name: string) => {
      // The faults need a built web server.
      if (args.includes('--faults')) return name === 'faults' || name === 'build'
      if (name === 'faults') return false
      return patterns.length === 0 || selected.has(name) || (name === 'build' && selected.has('e2e'))
    }
    this.#checks = this.#all().filter(({ name }) => isSelected(name))
    if (this.#checks.length === 0) throw new Error(`No test file's path contains ${patterns.join(' or ')}.`)
    const seed = args.includes('--faults') ? ` (GPUQ_TEST_SEED=${chooseSeed()})` : ''
    this.#title = args.length > 0 ? this.#checks.map(({ name }) => name).join(', ') + seed : 'every check'
  }

  /** The tests that ran. */
  get outcomes(): readonly Outcome[] {
    return this.#runners.outcomes
  }

  /** All checks, in the order in which they start if their prerequisites are ready. */
  #all(): Check[] {
    const { script, vitest, playwright, buildAll } = this.#runners
    return [
      { name: 'docker', needs: ['client', 'engine', 'image', 'slurm', 'podman'], run: vitest('docker') },
      { name: 'faults', needs: ['client', 'engine', 'image', 'slurm', 'build'], run: vitest('faults') },
      // The browser tests take longest, and need the build.
      { name: 'build', needs: ['client'], run: buildAll },
      {
        name: 'e2e',
        needs: ['client', 'engine', 'image', 'slurm', 'browser', 'screen', 'build'],
        run: playwright,
      },
      { name: 'lint', needs: ['client'], run: script('lint') },
      { name: 'types', needs: ['client'], after: ['build'], run: script('types') },
      { name: 'unit', needs: ['client'], run: vitest('unit', ['unit', 'component']) },
      { name: 'db', needs: ['client'], run: vitest('db') },
    ]
  }

  async run(): Promise<boolean> {
    const { report } = this
    report.line(`\n  gpuq: ${this.#title}\n`)
    const { table, last, failed } = summarise(await this.#runAll())
    const lines = slowest(this.#runners.times, shownSlowest).map(
      ({ name, ms }) => `  ${formatDuration(ms).padStart(12)}  ${name}`,
    )
    if (lines.length > 0) report.line(['\n  The slowest tests:', ...lines].join('\n'))
    report.line(`\n${table}\n\n${last}`)
    return failed === 0
  }

  async #runAll() {
    const prepared = this.#prepare()
    const scheduled = this.#checks.map((check) => ({
      name: check.name,
      after: [...check.needs, ...(check.after ?? [])],
      run: () => this.#runTimed(check),
    }))
    try {
      return await runScheduled(scheduled, prepared, places)
    } finally {
      await Promise.allSettled(prepared.values())
      await this.#stopEngine()
    }
  }

  /** Starts the preparations that the checks need. The returned promises resolve even after a failure. */
  #prepare(): Map<string, Promise<unknown>> {
    const { report, signal } = this
    const { dataDir } = readSettings(process.env)
    const needed = new Set(this.#checks.flatMap(({ needs }) => needs))
    const prepared = new Map<string, Promise<unknown>>()
    const begin = (name: string, work: () => Promise<unknown>, previous: Promise<unknown>) => {
      if (needed.has(name))
        prepared.set(
          name,
          previous.then(() => this.#attempt(name, work)),
        )
    }
    begin(
      'client',
      () => report.step('Prisma client', () => generateClient({ progress: () => {}, signal })),
      Promise.resolve(),
    )
    // One after the other, because each may install packages of the system.
    let last: Promise<unknown> = Promise.resolve()
    const beginNext = (name: string, work: () => Promise<unknown>) => {
      begin(name, work, last)
      last = prepared.get(name) ?? last
    }
    beginNext('engine', async () => {
      this.#engine = await prepareEngine({ report, signal, dataDir })
    })
    beginNext('image', async () => {
      if (!this.#engine) throw new Error('There is no engine to load it into.')
      await prepareImage({ report, signal, dataDir }, this.#engine)
    })
    const ensure = (
      name: string,
      title: string,
      find: (options: { progress(note: string): void }) => Promise<string>,
    ) =>
      beginNext(name, () =>
        report.step(
          title,
          (progress) => find({ progress }),
          (path) => path,
        ),
      )
    ensure('slurm', 'Slurm', ensureSlurm)
    ensure('podman', 'Podman', ensurePodman)
    ensure('browser', 'Browser', async (options) => {
      process.env.CHROMIUM_PATH = await ensureBrowser(options)
      return process.env.CHROMIUM_PATH
    })
    ensure('screen', 'GNU Screen', ensureScreen)
    return prepared
  }

  /** Records and prints a failure. Returns undefined after a failure. */
  async #attempt<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.signal.throwIfAborted()
      const message = error instanceof Error ? error.message : String(error)
      this.#failures.set(name, message)
      this.report.line(`\n${message}\n`)
      return undefined
    }
  }

  async #runTimed(check: Check) {
    this.signal.throwIfAborted()
    const started = performance.now()
    const counts = await this.report.step(
      check.name,
      (progress) => this.#runCheck(check, progress),
      ({ passed, failed }) => (failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`),
      ({ failed }) => failed === 0,
    )
    return { name: check.name, counts, time: formatDuration(performance.now() - started) }
  }

  async #runCheck({ name, needs, run }: Check, progress: (note: string) => void): Promise<Counts> {
    const failed = needs.find((need) => this.#failures.has(need))
    const counts = failed === undefined ? await this.#attempt(name, () => run(progress)) : undefined
    const reason = this.#failures.get(failed ?? name) ?? ''
    if (counts === undefined || counts.failed > 0) this.#failures.set(name, `${name} failed`)
    return counts ?? { passed: 0, failed: 1, problems: [`could not run: ${reason.split('\n')[0]}`] }
  }

  async #stopEngine(): Promise<void> {
    if (!this.#engine?.ours) return
    const problem = await this.report.step('Docker engine stopped', this.#engine.stop)
    if (problem) this.report.warn(problem)
  }
}
