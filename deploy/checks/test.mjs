/**
 * `npm test`: runs one case of each guarantee, and the static checks. A check that cannot run fails with the reason; a failing
 * check does not prevent the others. The last line is the count.
 *
 * `npm test -- PATTERN` runs only the test files whose path contains the pattern, `--changed` those of what differs from `main`.
 * `--release` runs every test, and continues after an interruption unless `--restart` is given. `--faults` runs the repeated
 * faults. `--hostile` runs the tests of `hostile-rows.yaml`, and writes their summary.
 */
import { preparePackages } from '../run/prepare.mjs'
import { createReport } from '../run/report.mjs'
import { stopOnSignals } from '../run/signals.mjs'

const report = createReport()
const signal = stopOnSignals({
  onFirst: () => report.line('\n  Stopping.'),
  onSecond: () => process.exit(130),
})
try {
  await preparePackages({ report, signal })
  // One of the packages loads TypeScript.
  const { register } = await import('tsx/esm/api')
  register()
  const { runChecks } = await import('./run-checks.ts')
  process.exitCode = (await runChecks(report, signal, process.argv.slice(2))) ? 0 : 1
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1
  if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
}
process.exit()
