/** `npm start`: makes ready what is missing, then runs gpuq until Ctrl-C. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureEngine } from '../engine/engine.mjs'
import { checkPort, lockDataDir } from './instance-lock.mjs'
import { prepareBuild, prepareEngine, prepareImage, preparePackages, runTracks } from './prepare.mjs'
import { createReport } from './report.mjs'
import { atLeast, oldestNode, readSettings, root } from './settings.mjs'
import { Stopped, stopOnSignals } from './signals.mjs'

const report = createReport()
let killPrograms = () => {}
const signal = stopOnSignals({
  onFirst: () => report.line('\n  Stopping. Once more to stop at once.'),
  onSecond() {
    killPrograms()
    report.line(
      '  Stopped at once. The database or the engine may still run; the next start takes them over.',
    )
    process.exit(130)
  },
})

/** @param {string} dataDir */
async function run(dataDir) {
  /** @type {import('../engine/engine.mjs').Engine | undefined} */
  let engine
  try {
    await runTracks(signal, [
      async (signal) => {
        await preparePackages({ report, signal })
        await prepareBuild({ report, signal })
      },
      async (signal) => {
        engine = await prepareEngine({ report, signal, dataDir })
        await prepareImage({ report, signal, dataDir }, engine)
      },
    ])
    /** @type {typeof import('./serve.ts')} */
    const { serve } = await import(pathToFileURL(join(root, 'dist', 'serve.js')).href)
    const onPrograms = (/** @type {() => void} */ kill) => {
      killPrograms = kill
    }
    const bringBack = async () => {
      engine = await ensureEngine({ dataDir, progress: () => {} })
    }
    await serve({ report, signal, dataDir, onPrograms, engine: { host: engine.host, bringBack } })
  } finally {
    if (engine?.ours) await stopEngine(engine)
  }
}

/** @param {import('../engine/engine.mjs').Engine} engine */
async function stopEngine(engine) {
  const left = await report.step('Docker engine stopped', engine.stop)
  if (left) report.warn(left)
}

async function main() {
  if (!atLeast(process.versions.node, oldestNode)) {
    throw new Error(`gpuq needs Node.js ${oldestNode} or later; this is ${process.versions.node}.`)
  }
  process.chdir(root)
  const settings = readSettings(process.env)
  process.env.GPUQ_DATA_DIR = settings.dataDir
  report.line('\n  gpuq\n')
  const occupancy = lockDataDir(settings.dataDir, settings.port)
  try {
    await checkPort(settings.port, settings.host, { patient: occupancy.afterCrash })
    await run(settings.dataDir)
  } finally {
    occupancy.release()
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
// Nothing is left to do; a connection that lingers must not keep the terminal.
process.exit()
