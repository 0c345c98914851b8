/**
 * Runs a TypeScript program on a prepared machine: packages, build, engine and image. `npm run bench`, `npm run pictures` and
 * `npm run soak` use it. Only the program writes to stdout.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { prepareBuild, prepareEngine, prepareImage, preparePackages, runTracks } from '../run/prepare.mjs'
import { createReport } from '../run/report.mjs'
import { readSettings, root } from '../run/settings.mjs'
import { stopOnSignals } from '../run/signals.mjs'

const report = createReport({ out: process.stderr })
const signal = stopOnSignals({
  onFirst: () => report.line('\n  Stopping.'),
  onSecond: () => process.exit(130),
})
const { dataDir } = readSettings(process.env)

/** @type {import('../engine/engine.mjs').Engine | undefined} */
let engine
try {
  await runTracks(signal, [
    async (signal) => {
      engine = await prepareEngine({ report, signal, dataDir })
      await prepareImage({ report, signal, dataDir }, engine)
    },
    async (signal) => {
      await preparePackages({ report, signal })
      await prepareBuild({ report, signal })
    },
  ])
  const [program = '', ...rest] = process.argv.slice(2)
  const args = ['--import', 'tsx', join(root, program), ...rest]
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  signal.addEventListener('abort', () => child.kill('SIGINT'))
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1
  if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
} finally {
  if (engine?.ours) await report.step('Docker engine stopped', engine.stop)
}
process.exit()
