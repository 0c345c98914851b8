/** Code that `npm start` and `npm run dev` share: the checks before the start, the engine, the database and the programs. */
import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { ensureEngine } from '../engine/engine.mjs'
import { describeInstallation, findMissing } from './first-start/installation.mjs'
import { checkPort, lockDataDir } from './instance-lock.mjs'
import { prepareEngine, prepareImage, runTracks } from './prepare.mjs'
import { createReport } from './report.mjs'
import { readArguments, readSettings, root, takeFirstStartSecrets, withWorkdir } from './settings.mjs'
import { Stopped, stopOnSignals } from './signals.mjs'

/**
 * @typedef {object} Code the code to run
 * @property {string} serve the file of the bundled serve.ts
 * @property {(programs: import('./serve.ts').Programs) => void} [onPrograms] called when the programs have started
 * @property {() => Promise<void>} [dispose] called after everything has stopped
 */

/** @param {string | null} problem */
const describeEngineStop = (problem) => (problem ? 'keeps running' : 'stopped')

/**
 * What happens to running jobs at a stop.
 * @param {boolean} keepsJobs
 */
export function describeStop(keepsJobs) {
  return keepsJobs
    ? 'Stopping gpuq. Running jobs go on, and the next start continues with them. To end them: gpuq stop.'
    : 'Stopping gpuq and its running jobs. They begin again at the next start.'
}

/**
 * Runs gpuq until Ctrl-C, then ends this process.
 * @param {object} options
 * @param {string} options.title
 * @param {import('./programs.ts').Mode} options.mode
 * @param {(preparing: Omit<import('./prepare.mjs').Preparing, 'dataDir'>) => Promise<Code>} options.prepareCode
 */
export async function launch({ title, mode, prepareCode }) {
  const report = createReport()
  /** @type {import('./serve.ts').Programs | undefined} */
  let programs
  /** @type {Record<string, string>} */
  let secrets = {}
  const keepsJobs = /^(true|1|yes|on|y|enabled)$/i.test(process.env.GPUQ_KEEP_JOBS ?? '')
  const signal = stopOnSignals({
    onFirst: () => report.line(`\n  ${describeStop(keepsJobs)} Press Ctrl-C again to stop at once.`),
    onSecond() {
      programs?.kill()
      report.line('  Stopped at once. The database or the engine may still run; the next start uses them.')
      process.exit(130)
    },
  })

  /** @param {string} dataDir */
  async function run(dataDir) {
    /** @type {import('../engine/engine.mjs').Engine | undefined} */
    let engine
    /** @type {Code | undefined} */
    let code
    try {
      await runTracks(signal, [
        async (signal) => {
          code = await prepareCode({ report, signal })
        },
        async (signal) => {
          engine = await prepareEngine({ report, signal, dataDir })
          await prepareImage({ report, signal, dataDir }, engine)
        },
      ])
      if (!code || !engine) throw new Error('gpuq is not prepared.')
      /** @type {typeof import('./serve.ts')} */
      const { serve } = await import(pathToFileURL(code.serve).href)
      const bringBack = async () => {
        engine = await ensureEngine({ dataDir, progress: () => {} })
      }
      await serve({
        report,
        signal,
        dataDir,
        mode,
        secrets,
        engine: { host: engine.host, bringBack },
        onPrograms(started) {
          programs = started
          code?.onPrograms?.(started)
        },
      })
    } finally {
      await code?.dispose?.()
      if (engine?.ours) {
        const { stop } = engine
        const problem = await report.step(
          'Docker engine',
          () => stop({ keepJobs: keepsJobs }),
          describeEngineStop,
        )
        if (problem) report.warn(problem)
      }
    }
  }

  /** @param {string} workdir */
  function describeWorkdir(workdir) {
    report.line(`  Commands of the project default run in ${workdir}.`)
    if (statSync(workdir).uid >= 1000) return
    report.warn(
      `${workdir} belongs to root: jobs can read what others may read, and write nothing. To let them write: chown -R 1000 ${workdir}`,
    )
  }

  async function main() {
    const { workdir } = readArguments(process.argv.slice(2), process.env)
    if (workdir !== null) process.env.GPUQ_WORKSPACES = withWorkdir(process.env.GPUQ_WORKSPACES, workdir)
    process.chdir(root)
    // Before anything is started: a child would keep them in its environment.
    secrets = takeFirstStartSecrets(process.env)
    const settings = readSettings(process.env)
    process.env.GPUQ_DATA_DIR = settings.dataDir
    report.line(`\n  ${title}\n`)
    if (workdir !== null) describeWorkdir(workdir)
    const missing = await findMissing(settings.dataDir)
    const text = describeInstallation(
      { ...missing, build: missing.build && mode === 'production' },
      { dataDir: settings.dataDir },
    )
    const lock = lockDataDir(settings.dataDir, settings.port)
    try {
      if (text !== null) report.line(`${text}\n`)
      await checkPort(settings.port, settings.host, { patient: lock.afterCrash })
      await run(settings.dataDir)
    } finally {
      lock.release()
    }
  }

  try {
    await main()
  } catch (error) {
    if (!(error instanceof Stopped)) {
      const message = error instanceof Error ? error.message : String(error)
      process.stderr.write(`\n${message}\n\n`)
      process.exitCode = 1
    }
  }
  // An open connection must not keep the process alive.
  process.exit()
}
