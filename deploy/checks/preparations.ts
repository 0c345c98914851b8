/** What the checks need before they run: packages of the system, a container engine, an image, a browser. */
import type { Engine } from '../engine/engine.mjs'
import { generateClient } from '../package/build.mjs'
import { prepareEngine, prepareImage } from '../run/prepare.mjs'
import type { Report } from '../run/report.mjs'
import { readSettings } from '../run/settings.mjs'
import { ensureBrowser } from './programs/browser.mjs'
import { ensurePodman } from './programs/podman.mjs'
import { ensureScreen } from './programs/screen.mjs'
import { ensureSlurm } from './programs/slurm.mjs'

export type Preparation = 'client' | 'engine' | 'image' | 'slurm' | 'podman' | 'browser' | 'screen'

interface PreparationOptions {
  report: Report
  signal: AbortSignal
  needed: ReadonlySet<string>
  /** Called with what failed. */
  onFailure(name: Preparation, error: unknown): void
}

type Find = (options: { progress(note: string): void }) => Promise<string>

/** Starts preparations, and stops the engine if they started it. */
export class Preparations {
  readonly #options: PreparationOptions
  #engine: Engine | undefined

  constructor(options: PreparationOptions) {
    this.#options = options
  }

  /** Starts those that are needed. The returned promises resolve even after a failure. */
  start(): Map<string, Promise<unknown>> {
    const { report, signal, needed } = this.#options
    const { dataDir } = readSettings(process.env)
    const started = new Map<string, Promise<unknown>>()
    const begin = (name: Preparation, work: () => Promise<unknown>, previous: Promise<unknown>) => {
      if (!needed.has(name)) return
      const attempt = () => work().catch((error: unknown) => this.#options.onFailure(name, error))
      started.set(name, previous.then(attempt))
    }
    const generate = () => generateClient({ progress: () => {}, signal })
    begin('client', () => report.step('Prisma client', generate), Promise.resolve())
    // One after the other, because each may install packages of the system.
    let last: Promise<unknown> = Promise.resolve()
    const beginNext = (name: Preparation, work: () => Promise<unknown>) => {
      begin(name, work, last)
      last = started.get(name) ?? last
    }
    beginNext('engine', async () => {
      this.#engine = await prepareEngine({ report, signal, dataDir })
    })
    beginNext('image', async () => {
      if (!this.#engine) throw new Error('There is no engine to load it into.')
      await prepareImage({ report, signal, dataDir }, this.#engine)
    })
    const ensure = (name: Preparation, title: string, find: Find) =>
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
    return started
  }

  /** Stops the engine if this run started it. */
  async stop(): Promise<void> {
    if (!this.#engine?.ours) return
    const { stop } = this.#engine
    const problem = await this.#options.report.step('Docker engine stopped', () => stop())
    if (problem) this.#options.report.warn(problem)
  }
}
