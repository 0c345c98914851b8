/**
 * `npm run bench:slurm`: short jobs by bare `sbatch`, by gpuq on Slurm, and by gpuq's builtin engine, on one machine with a
 * real Slurm of four nodes. The GPUs are simulated. All three run the same container. Compare the ratios; the absolute times
 * depend on the machine. `--json` prints JSON: `drain_ratio` is gpuq on Slurm divided by bare sbatch.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureSlurm } from '@/deploy/checks/slurm.mjs'
import { fourNodes, SlurmCluster } from '@/worker/testing/slurm-cluster'
import { type System, startSystem } from '../../system/start-system'
import { closeConnections } from '../client'
import { submitAndWatch } from '../first-output'
import { type Figures, figuresOf, ms, times } from '../measure'
import { BareSbatch } from './bare-sbatch'
import { type Drain, drainGpuq, untilNodesReady } from './drain'

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
})
const jobs = Number(options.jobs)
const rounds = Number(options.rounds)
const say = (line: string) => (options.json ? undefined : console.log(line))
const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`

interface Result {
  drain: Drain
  first: Figures
}

/** One round is not counted. */
async function repeat(measure: () => Promise<number>): Promise<Figures> {
  const samples: number[] = []
  for (let round = 0; round <= rounds; round++) samples.push(await measure())
  return figuresOf(samples.slice(1))
}

async function measureBare(slurm: SlurmCluster): Promise<Result> {
  const bare = await BareSbatch.prepare(slurm)
  try {
    return { first: await repeat(() => bare.firstLine()), drain: await bare.drain(jobs) }
  } finally {
    await bare.remove()
  }
}

async function measureGpuq(env: Record<string, string>): Promise<Result> {
  const nodeNames = fourNodes.map(({ name }) => name)
  const system: System = await startSystem({
    workers: nodeNames.length,
    nodeNames,
    simulatedGpus: 8,
    env: { GPUQ_LOG_LEVEL: 'warn', GPUQ_WRITES_PER_MINUTE: '1000000', ...env },
  })
  try {
    await untilNodesReady(system, nodeNames.length)
    return { first: await repeat(() => submitAndWatch(system)), drain: await drainGpuq(system, jobs) }
  } finally {
    await system.stop()
  }
}

await ensureSlurm({ progress: () => {} })
const directory = await mkdtemp(join(tmpdir(), 'gpuq-bench-slurm-'))
const slurm = await SlurmCluster.start()
try {
  const bare = await measureBare(slurm)
  const onSlurm = await measureGpuq({ GPUQ_ENGINE: 'slurm', GPUQ_SLURM_DIRECTORY: directory, ...slurm.env })
  const builtin = await measureGpuq({ GPUQ_ENGINE: 'builtin' })
  const ratio = onSlurm.drain.drained / bare.drain.drained
  const row = (name: string, { drain, first }: Result) =>
    say(
      `  ${name.padEnd(16)} ${seconds(drain.drained).padStart(8)} (submitted after ${seconds(drain.submitted)})   first line ${ms(first.median)}`,
    )
  say(
    `${jobs} short jobs on four Slurm nodes with eight simulated GPUs each; submit → first line, median of ${rounds}`,
  )
  row('bare sbatch', bare)
  row('gpuq on Slurm', onSlurm)
  row('gpuq builtin', builtin)
  say(`  gpuq on Slurm drains in ${times(ratio)} of bare sbatch (target: within 1.25 ×)`)
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
} finally {
  await slurm.stop()
  await rm(directory, { recursive: true, force: true })
  closeConnections()
}
