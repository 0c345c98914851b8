/** Makes the command line of this checkout if it is missing, and for `gpuq start` also if its code has changed. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareBuild, preparePackages } from '../prepare.mjs'
import { createReport } from '../report.mjs'
import { readSettings, root } from '../settings.mjs'
import { Stopped, stopOnSignals } from '../signals.mjs'
import { describeInstallation, findMissing, findMissingCode } from './installation.mjs'

const starts = process.argv[2] === 'start'
if (starts || !existsSync(join(root, 'dist', 'cli.js'))) await prepare()

async function prepare() {
  // The output of the command itself stays alone.
  const report = createReport({ out: process.stderr })
  const signal = stopOnSignals({
    onFirst: () => report.line('  Stopping. What is installed so far stays, and the next start continues.'),
    onSecond: () => process.exit(130),
  })
  try {
    const { values } = parseArgs({
      args: process.argv.slice(2),
      options: { 'data-dir': { type: 'string' } },
      strict: false,
    })
    const given = values['data-dir']
    const dataDir = typeof given === 'string' ? resolve(given) : readSettings(process.env).dataDir
    const missing = starts ? await findMissing(dataDir) : findMissingCode()
    const text = describeInstallation(missing, { dataDir: starts ? dataDir : null })
    if (text !== null) report.line(`\n${text}\n`)
    await preparePackages({ report, signal })
    await prepareBuild({ report, signal })
  } catch (error) {
    if (!(error instanceof Stopped)) report.line(`\n${error instanceof Error ? error.message : error}`)
    process.exit(error instanceof Stopped ? 130 : 1)
  }
  process.exit()
}
