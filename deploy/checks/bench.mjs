/** `npm run bench`: makes ready what is missing, then measures. What the measuring prints is all that reaches stdout. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { prepareBuild, prepareEngine, prepareImage, preparePackages, together } from '../run/prepare.mjs'
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
  await together(signal, [
    async (signal) => {
      engine = await prepareEngine({ report, signal, dataDir })
      await prepareImage({ report, signal, dataDir }, engine)
    },
    async (signal) => {
      await preparePackages({ report, signal })
      await prepareBuild({ report, signal })
    },
  ])
  const args = ['--import', 'tsx', join(root, 'e2e', 'bench', 'main.ts'), ...process.argv.slice(2)]
  const bench = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  signal.addEventListener('abort', () => bench.kill('SIGINT'))
  const [code] = await once(bench, 'exit')
  process.exitCode = code ?? 1
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1
  if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
} finally {
  if (engine?.ours) await report.step('Docker engine stopped', engine.stop)
}
process.exit()
