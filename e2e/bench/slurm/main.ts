/**
 * `npm run bench:slurm`: short jobs by bare `sbatch`, by gpuq on Slurm, and by gpuq's builtin engine, on one machine with a
 * real Slurm of four nodes. The GPUs are simulated. All three run the same container. Compare the ratios; the absolute times
 * depend on the machine. `--json` prints JSON: `drain_ratio` is gpuq on Slurm divided by bare sbatch.
 */
import { parseArgs } from 'node:util'
import { createReport } from '@/deploy/run/report.mjs'
import { closeConnections } from '../client'
import { ms, times } from '../measure'
import { untilSignal } from '../runner/until-signal'
import { type Contender, compareWithSlurm, describeDrain } from './compare'

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
})
const jobs = Number(options.jobs)
const rounds = Number(options.rounds)

const report = createReport({ out: process.stderr })
const { bare, onSlurm, builtin } = await untilSignal(() =>
  report.step(`${jobs} short jobs, three times`, (progress) =>
    compareWithSlurm({ jobs, rounds, builtin: true, progress }),
  ),
)
closeConnections()
if (builtin === null) throw new Error('the builtin engine was not measured')
const ratio = onSlurm.drain.drained / bare.drain.drained
if (options.json)
  console.log(
    JSON.stringify({
      drain_ratio: ratio,
      builtin_drain_ratio: builtin.drain.drained / bare.drain.drained,
      sbatch_drain_ms: bare.drain.drained,
      slurm_drain_ms: onSlurm.drain.drained,
      builtin_drain_ms: builtin.drain.drained,
      sbatch_first_line_ms: bare.first.median,
      slurm_first_line_ms: onSlurm.first.median,
      builtin_first_line_ms: builtin.first.median,
    }),
  )
else {
  const row = (name: string, contender: Contender) =>
    `${describeDrain(name, contender)}   first line ${ms(contender.first.median)}`
  console.log(
    [
      `${jobs} short jobs on four Slurm nodes with eight simulated GPUs each; submit → first line, median of ${rounds}`,
      row('bare sbatch', bare),
      row('gpuq on Slurm', onSlurm),
      row('gpuq builtin', builtin),
      `  gpuq on Slurm drains in ${times(ratio)} of bare sbatch (target: within 1.25 ×)`,
    ].join('\n'),
  )
}
process.exit()
