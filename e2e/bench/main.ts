/**
 * `npm run bench`: compares gpuq with its alternatives in one run on one machine. Compare the ratios; the absolute times
 * depend on the machine. It prints each part as it ends, and writes test-results/bench.json after each part. A plain run takes at
 * most 12 minutes; `--full` adds the parts that take long, and `--only NAME` runs one part. `--json` prints the figures as JSON at
 * the end, and everything else to stderr. `--trace` prints the steps of a job instead, from the request to the first line,
 * and from its end to the next job.
 */
import { parseArgs } from 'node:util'
import { createReport } from '@/deploy/run/report.mjs'
import { closeConnections } from './client'
import { fullParts } from './full-parts'
import { plainParts } from './parts'
import { createResults, describeRun, resultsFile } from './runner/results'
import { runParts } from './runner/run-parts'
import { untilSignal } from './runner/until-signal'
import { traceParts } from './trace'

/** How long a plain run may take, in seconds. */
const plainLimitS = 12 * 60

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    full: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '15' },
    clients: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
})
const { only, full, trace } = options
const available = trace ? traceParts : [...plainParts, ...fullParts]
const chosen = available.filter((part) => (only === undefined ? full || !part.full : part.name === only))
if (chosen.length === 0) {
  const names = available.map(({ name }) => name).join(', ')
  process.stderr.write(`--only ${only}: no such part. The parts are ${names}.\n`)
  process.exit(2)
}

const report = createReport({ out: process.stderr })
const outcome = await untilSignal(async (signal) =>
  runParts(chosen, {
    options: {
      rounds: Number(options.rounds),
      clients: Number(options.clients),
      seconds: Number(options.seconds),
    },
    step: (title, work) => {
      // A terminal shows a step that runs.
      if (!process.stderr.isTTY) report.line(`  ${title}`)
      return report.step(title, work)
    },
    print: (text) => (options.json ? report.line(text) : console.log(text)),
    // The steps of a job are no figures to compare.
    save: trace ? async () => {} : createResults(await describeRun()),
    limitS: full || trace || only !== undefined ? undefined : plainLimitS,
    signal,
    now: () => performance.now(),
  }),
)
closeConnections()
if (options.json) console.log(JSON.stringify(outcome.figures))
if (!trace) report.line(`  The figures are in ${resultsFile}`)
const failed = Object.keys(outcome.failed)
if (failed.length > 0) report.line(`  Failed: ${failed.join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)
